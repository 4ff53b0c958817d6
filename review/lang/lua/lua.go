// Package lua reads Lua, also where it is a script in another language's string.
package lua

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang/syntax"
)

var grammar = &syntax.Grammar{
	Language: ir.Lua,
	Spec: syntax.Spec{
		LineComments:  []string{"--"},
		BlockComments: [][2]string{{"--[[", "]]"}, {"--[==[", "]==]"}},
		Quotes: []syntax.Quote{
			{Open: `"`, Close: `"`}, {Open: `'`, Close: `'`},
			{Open: "[[", Close: "]]", Lines: true, Raw: true}, {Open: "[=[", Close: "]=]", Lines: true, Raw: true},
			{Open: "[==[", Close: "]==]", Lines: true, Raw: true},
		},
	},
	Members: syntax.Set(".", ":"),
	Binary: map[string]int{
		"or": 2, "and": 3, "<": 4, ">": 4, "<=": 4, ">=": 4, "~=": 4, "==": 4, "..": 6, "+": 7, "-": 7, "*": 8, "/": 8, "//": 8, "%": 8, "^": 9,
	},
	Unary:  syntax.Set("not", "-", "#", "~"),
	Consts: map[string]string{"true": "true", "false": "false", "nil": "nil"},
	This:   "self",
	Ends:   syntax.Set("then", "do", "end", "else", "elseif", "until", "return", "local", "if", "for", "while", "repeat", "break", "goto"),
}

func init() { grammar.Primary, grammar.Postfix = primary, postfix }

// Parse reads a file, or a script.
func Parse(path string, src []byte) *ir.File {
	r := reader{syntax.New(grammar, path, src)}
	for !r.Done() {
		r.Func.Body = append(r.Func.Body, r.body()...)
		if !r.Done() {
			r.Fault("unexpected " + r.Peek().Text)
			r.Next()
		}
	}
	return r.File
}

func primary(p *syntax.Parser) *ir.Expr {
	switch t := p.Peek(); {
	case t.Is("function"):
		p.Next()
		return p.Make(ir.Expr{Kind: ir.Lambda, Pos: ir.Pos(t.Pos), Func: reader{p}.function("", ir.Pos(t.Pos))})
	case t.Is("{"):
		return table(p)
	}
	return nil
}

// table reads { a = 1, [k] = v, x }.
func table(p *syntax.Parser) *ir.Expr {
	e := ir.Expr{Kind: ir.Map, Pos: p.Here()}
	for p.Next(); !p.Done() && !p.At("}"); {
		at, key := p.I, ""
		if t := p.Peek(); t.Kind == syntax.Ident && p.PeekAt(1).Is("=") {
			key = t.Text
			p.I += 2
		} else if p.At("[") {
			p.Skip()
			p.Accept("=")
		}
		e.Args, e.Keys = append(e.Args, p.Expr()), append(e.Keys, key)
		if !p.Accept(",") && !p.Accept(";") && p.I == at {
			p.Next()
		}
	}
	p.Accept("}")
	return p.Make(e)
}

// postfix reads calls without parentheses: f"text", f{...}.
func postfix(p *syntax.Parser, e *ir.Expr) (*ir.Expr, bool) {
	t := p.Peek()
	if e.Kind != ir.Name && e.Kind != ir.Member || t.NewLine || t.Kind != syntax.Text && !t.Is("{") {
		return e, false
	}
	return p.Make(ir.Expr{Kind: ir.Call, Pos: e.Pos, X: e, Args: []*ir.Expr{p.Primary()}}), true
}

type reader struct{ *syntax.Parser }

func (r reader) body() (list []*ir.Stmt) {
	if !r.Deeper() {
		r.Up()
		return nil
	}
	defer r.Up()
	for !r.Done() && !r.At("end", "else", "elseif", "until", "}", ")", "]") {
		at := r.I
		if s := r.statement(); s != nil {
			s.End = r.Before()
			list = append(list, s)
		}
		if r.I == at {
			r.Next()
		}
	}
	return list
}

func (r reader) statement() *ir.Stmt {
	t := r.Peek()
	at := r.Here()
	switch {
	case r.Accept("if"):
		return r.ifStmt(at)
	case t.Is("while"), t.Is("for"):
		r.Next()
		return r.loop(at)
	case r.Accept("repeat"):
		s := &ir.Stmt{Does: ir.Loop, Pos: at, Body: r.body()}
		if r.Accept("until") {
			s.X = r.Expr()
		}
		return s
	case r.Accept("do"):
		s := &ir.Stmt{Does: ir.Group, Pos: at, Body: r.body()}
		r.Accept("end")
		return s
	case r.Accept("return"):
		return r.returnStmt(at)
	case r.Accept("break"):
		return &ir.Stmt{Does: ir.Leave, Pos: at}
	case t.Is("function"):
		r.Next()
		r.function(r.name(), at)
		return nil
	case t.Is("local") && r.PeekAt(1).Is("function"):
		r.I += 2
		r.function(r.Next().Text, at)
		return nil
	}
	local := r.Accept("local")
	return r.simple(at, local)
}

// name reads a.b:c; the last part is the name.
func (r reader) name() string {
	name := r.Next().Text
	for r.At(".", ":") {
		r.Next()
		name = r.Next().Text
	}
	return name
}

func (r reader) function(name string, at ir.Pos) *ir.Func {
	f := r.Open(name, nil)
	f.Pos = at
	if r.At("(") {
		r.Next()
		for !r.Done() && !r.Accept(")") {
			if t := r.Next(); t.Kind == syntax.Ident {
				f.Params = append(f.Params, ir.Param{Name: t.Text})
			}
		}
	}
	f.Body = r.body()
	r.Accept("end")
	return r.Close(f)
}

func (r reader) ifStmt(at ir.Pos) *ir.Stmt {
	s := &ir.Stmt{Does: ir.If, Pos: at, X: r.Expr()}
	r.Accept("then")
	s.Body = r.body()
	switch t := r.Peek(); {
	case r.Accept("elseif"):
		s.Else = []*ir.Stmt{r.ifStmt(ir.Pos(t.Pos))}
		return s
	case r.Accept("else"):
		s.Else = r.body()
	}
	r.Accept("end")
	s.End = r.Before()
	return s
}

func (r reader) loop(at ir.Pos) *ir.Stmt {
	s := &ir.Stmt{Does: ir.Loop, Pos: at}
	for !r.Done() && !r.At("do", "end") {
		i := r.I
		if s.X = r.Expr(); r.I == i {
			r.Next()
		}
	}
	r.Accept("do")
	s.Body = r.body()
	r.Accept("end")
	return s
}

func (r reader) returnStmt(at ir.Pos) *ir.Stmt {
	s := &ir.Stmt{Does: ir.Return, Pos: at}
	if !r.Done() && !r.At("end", "else", "elseif", "until", ";") {
		s.X = r.Expr()
		for r.Accept(",") {
			if e := r.Expr(); s.X.Kind == ir.Const {
				s.X = r.Make(ir.Expr{Kind: ir.List, Pos: s.X.Pos, Args: []*ir.Expr{s.X, e}})
			}
		}
	}
	r.Accept(";")
	return s
}

func (r reader) simple(at ir.Pos, local bool) *ir.Stmt {
	list := []*ir.Expr{r.Expr()}
	for r.Accept(",") {
		list = append(list, r.Expr())
	}
	s := &ir.Stmt{Does: ir.Eval, Pos: at, X: list[0]}
	if r.Accept("=") {
		s.Does, s.To, s.X = ir.Let, list, r.Expr()
		for r.Accept(",") {
			r.Expr()
		}
		r.require(s)
		if s.X.Kind == ir.Lambda && s.X.Func.Name == "" {
			s.X.Func.Name = list[0].Name
		}
	} else if local {
		s.Does, s.To = ir.Let, list
		s.X = &ir.Expr{Kind: ir.Const, Name: "nil", Pos: at, End: at}
	}
	r.Accept(";")
	return s
}

func (r reader) require(s *ir.Stmt) {
	if s.X.Kind != ir.Call || s.X.Method() != "require" || len(s.X.Args) != 1 {
		return
	}
	if path, ok := s.X.Args[0].Literal(); ok {
		r.File.Imports = append(r.File.Imports, ir.Import{Path: strings.TrimSpace(path), Name: s.To[0].Name})
	}
}
