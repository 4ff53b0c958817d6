// Package java reads Java.
package java

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang/syntax"
)

var grammar = &syntax.Grammar{
	Language: ir.Java,
	Spec: syntax.Spec{
		LineComments:  []string{"//"},
		BlockComments: [][2]string{{"/*", "*/"}},
		Quotes: []syntax.Quote{
			{Open: `"""`, Close: `"""`, Lines: true}, {Open: `"`, Close: `"`}, {Open: `'`, Close: `'`},
		},
		Sigils: "@$",
	},
	Members: syntax.Set(".", "::"),
	Binary: map[string]int{
		"||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7,
		"<": 8, ">": 8, "<=": 8, ">=": 8, "<<": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11,
	},
	Assign:  syntax.Set("=", "+=", "-=", "*=", "/=", "|="),
	Unary:   syntax.Set("!", "-", "+", "~", "++", "--"),
	Consts:  map[string]string{"true": "true", "false": "false", "null": "nil"},
	This:    "this",
	Ternary: true,
}

func init() {
	grammar.Primary, grammar.Infix, grammar.Statement = primary, infix, statement
}

// Parse reads a file.
func Parse(path string, src []byte) *ir.File {
	return syntax.New(grammar, path, src).Program()
}

func primary(p *syntax.Parser) *ir.Expr {
	t := p.Peek()
	switch {
	case t.Is("new"):
		return newExpr(p)
	case t.Kind == syntax.Ident && p.PeekAt(1).Is("->"):
		p.Next()
		return lambda(p, ir.Pos(t.Pos), []ir.Param{{Name: t.Text}})
	case t.Is("(") && t.Match > 0 && p.Toks[t.Match+1].Is("->"):
		return lambda(p, ir.Pos(t.Pos), params(p))
	case t.Is("(") && castEnd(p) > 0:
		p.I = castEnd(p)
		return p.Operand()
	case t.Is("switch"):
		if s := p.Statement(); s != nil {
			p.Func.Body = append(p.Func.Body, s)
		}
		return p.Make(ir.Expr{Kind: ir.Bad, Pos: ir.Pos(t.Pos)})
	case t.Kind == syntax.Ident && p.PeekAt(1).Is("<"):
		return typeReference(p, t)
	}
	return nil
}

// typeReference reads List<String>::new; anything else with an angle is a comparison.
func typeReference(p *syntax.Parser, t syntax.Token) *ir.Expr {
	p.Next()
	if end := p.Angles(); end > 0 && p.Toks[end].Is("::") {
		p.I = end
	}
	return p.Ident(t)
}

// castEnd finds the token behind the cast that begins here, 0 if there is none.
func castEnd(p *syntax.Parser) int {
	from, end := p.I, int(p.Peek().Match)
	if end == 0 || p.PeekAt(1).Kind != syntax.Ident || end-from > 30 {
		return 0
	}
	defer func() { p.I = from }()
	p.Next()
	if _, ok := p.Type(); !ok || p.I != end {
		return 0
	}
	next := p.Toks[end+1]
	if next.Kind == syntax.Ident && !next.Is("instanceof") || next.Kind == syntax.Text || next.Kind == syntax.Number || next.Is("(") || next.Is("!") {
		return end + 1
	}
	return 0
}

func lambda(p *syntax.Parser, at ir.Pos, params []ir.Param) *ir.Expr {
	f := p.Open("", params)
	f.Pos = at
	p.Accept("->")
	p.ArrowBody(f)
	p.Close(f)
	return p.Make(ir.Expr{Kind: ir.Lambda, Pos: at, Func: f})
}

func newExpr(p *syntax.Parser) *ir.Expr {
	at := p.Here()
	p.Next()
	name, _ := p.Type()
	e := ir.Expr{Kind: ir.New, Pos: at, X: p.Make(ir.Expr{Kind: ir.Name, Pos: at, Name: name})}
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		e.X.Name = name[i+1:]
	}
	if p.Accept("(") {
		e.Args, e.Keys = p.Elements(")")
	}
	if p.At("{") {
		body(p, &ir.Class{Pos: at, Bases: []string{name}})
	} else if p.At("[") {
		p.Skip()
	}
	return p.Make(e)
}

// infix reads x instanceof Type name.
func infix(p *syntax.Parser, e *ir.Expr, min int) (*ir.Expr, bool) {
	if !p.At("instanceof") || min >= 8 {
		return e, false
	}
	p.Next()
	at := p.Here()
	name, _ := p.Type()
	if p.Peek().Kind == syntax.Ident {
		p.Next()
	}
	class := p.Make(ir.Expr{Kind: ir.Name, Pos: at, Name: name})
	return p.Make(ir.Expr{Kind: ir.Binary, Name: "instanceof", Pos: e.Pos, X: e, Args: []*ir.Expr{class}}), true
}

func params(p *syntax.Parser) (list []ir.Param) {
	end := int(p.Peek().Match)
	for p.Next(); !p.Done() && !(p.At(")") && (end == 0 || p.I >= end)); {
		at := p.I
		annotations(p)
		p.Accept("final")
		var param ir.Param
		if param.Type, _ = p.Type(); p.Peek().Kind == syntax.Ident {
			param.Name = p.Next().Text
		} else {
			param.Name, param.Type = param.Type, ""
		}
		list = append(list, param)
		p.SkipTo(",", ")")
		if !p.Accept(",") && p.I == at {
			p.Next()
		}
	}
	p.Accept(")")
	return list
}

func annotations(p *syntax.Parser) (marks []*ir.Expr) {
	for strings.HasPrefix(p.Peek().Text, "@") && p.Peek().Kind == syntax.Ident && !p.At("@interface") {
		t := p.Next()
		e := p.Make(ir.Expr{Kind: ir.Name, Pos: ir.Pos(t.Pos), Name: t.Text[1:]})
		for p.At(".") {
			p.Next()
			e.Name = p.Next().Text
		}
		if p.At("(") {
			e = p.Call(e)
		}
		marks = append(marks, e)
	}
	return marks
}
