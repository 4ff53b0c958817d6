// Package php reads PHP.
package php

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang/syntax"
)

var grammar = &syntax.Grammar{
	Language: ir.PHP,
	Spec: syntax.Spec{
		LineComments:  []string{"//", "# ", "#\n", "##", "#!"},
		BlockComments: [][2]string{{"/*", "*/"}},
		Quotes: []syntax.Quote{
			{Open: `"`, Close: `"`, Lines: true, Hole: "{$", Names: true}, {Open: `'`, Close: `'`, Lines: true},
		},
		Sigils: "$",
	},
	Members: syntax.Set("->", "?->", "::"),
	Binary: map[string]int{
		"or": 1, "xor": 1, "and": 1, "??": 2, "||": 3, "&&": 4, "|": 5, "^": 6, "&": 6,
		"==": 7, "!=": 7, "===": 7, "!==": 7, "<=>": 7, "<": 8, ">": 8, "<=": 8, ">=": 8,
		".": 9, "<<": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11, "**": 12, "instanceof": 12, "as": 1,
	},
	Assign:  syntax.Set("=", "+=", "-=", ".=", "??=", "*=", "/=", "|="),
	Unary:   syntax.Set("!", "-", "+", "~", "@", "&", "++", "--", "print", "clone", "throw"),
	Consts:  map[string]string{"true": "true", "false": "false", "null": "nil", "TRUE": "true", "FALSE": "false", "NULL": "nil"},
	Ternary: true,
}

func init() {
	grammar.Spec.Scan = scan
	grammar.Primary, grammar.Statement = primary, statement
}

// Parse reads a file; what stands outside of <?php is skipped.
func Parse(path string, src []byte) *ir.File {
	p := syntax.New(grammar, path, src)
	f := p.Program()
	return f
}

// scan reads heredocs, and steps over what isn't code.
func scan(l *syntax.Lexer) bool {
	rest := l.Src[l.At:]
	switch {
	case l.At == 0 && !l.Part && !strings.HasPrefix(rest, "<?"):
		skipHTML(l, rest)
		return true
	case strings.HasPrefix(rest, "?>"):
		skipHTML(l, rest)
		return true
	case strings.HasPrefix(rest, "<?php"):
		l.At += len("<?php")
		return true
	case strings.HasPrefix(rest, "<?="):
		l.At += len("<?=")
		return true
	case strings.HasPrefix(rest, "<<<"):
		return heredoc(l, rest)
	}
	return false
}

func skipHTML(l *syntax.Lexer, rest string) {
	if i := strings.Index(rest, "<?"); i > 0 {
		l.Add(syntax.Op, l.At, ";")
		l.At += i
	} else {
		l.At = len(l.Src)
	}
}

func heredoc(l *syntax.Lexer, rest string) bool {
	line, _, _ := strings.Cut(rest, "\n")
	word := strings.TrimSpace(line[3:])
	q := syntax.Quote{Hole: "{$", Names: true}
	if strings.HasPrefix(word, "'") {
		q = syntax.Quote{Raw: true}
	}
	word = strings.Trim(word, `'"`)
	if word == "" || strings.ContainsAny(word, " ;(),") {
		return false
	}
	l.Heredoc(len(line), word, q)
	return true
}

func primary(p *syntax.Parser) *ir.Expr {
	t := p.Peek()
	switch {
	case t.Is("$this"):
		p.Next()
		return p.Make(ir.Expr{Kind: ir.Name, Pos: ir.Pos(t.Pos), Name: "this"})
	case t.Is("self") || t.Is("static") && p.PeekAt(1).Is("::"):
		p.Next()
		return p.Make(ir.Expr{Kind: ir.Name, Pos: ir.Pos(t.Pos), Name: "this"})
	case t.Is("new"):
		return newExpr(p)
	case t.Is("function") || t.Is("fn") && p.PeekAt(1).Is("(") || t.Is("static") && (p.PeekAt(1).Is("function") || p.PeekAt(1).Is("fn")):
		p.Accept("static")
		return closure(p)
	case t.Is("match"):
		return match(p)
	case t.Is("array") && p.PeekAt(1).Is("("):
		p.Next()
		at := p.Here()
		p.Next()
		args, keys := p.Elements(")")
		return p.Make(ir.Expr{Kind: ir.Map, Pos: at, Args: args, Keys: keys})
	case t.Is("(") && p.PeekAt(1).In(casts) && p.PeekAt(2).Is(")"):
		p.I += 3
		return p.Operand()
	case t.Is("\\"):
		p.Next()
		return p.Primary()
	case t.Kind == syntax.Ident && p.PeekAt(1).Is("\\"):
		return qualified(p)
	}
	return nil
}

var casts = syntax.Set("int", "integer", "string", "bool", "boolean", "float", "double", "array", "object")

// qualified reads A\B\c; its last part is the name.
func qualified(p *syntax.Parser) *ir.Expr {
	t := p.Next()
	for p.At("\\") && p.PeekAt(1).Kind == syntax.Ident {
		p.Next()
		t = p.Next()
	}
	return p.Ident(t)
}

func newExpr(p *syntax.Parser) *ir.Expr {
	at := p.Here()
	p.Next()
	e := ir.Expr{Kind: ir.New, Pos: at}
	if p.At("class") {
		p.Next()
		if p.Accept("(") {
			e.Args, e.Keys = p.Elements(")")
		}
		c := &ir.Class{Pos: at}
		classBody(p, c)
		e.X = p.Make(ir.Expr{Kind: ir.Name, Pos: at})
		return p.Make(e)
	}
	e.X = p.Primary()
	if p.Accept("(") {
		e.Args, e.Keys = p.Elements(")")
	}
	return p.Make(e)
}

func closure(p *syntax.Parser) *ir.Expr {
	at := p.Here()
	arrow := p.Next().Is("fn")
	p.Accept("&")
	f := p.Open("", nil)
	f.Pos = at
	if p.At("(") {
		f.Params = params(p)
	}
	if p.Accept("use") {
		p.Skip()
	}
	if p.Accept(":") {
		p.Type()
	}
	if arrow {
		p.Accept("=>")
		x := p.Expr()
		f.Body = []*ir.Stmt{{Does: ir.Return, Pos: x.Pos, End: x.End, X: x}}
	} else {
		f.Body = append(f.Body, p.Block()...)
	}
	p.Close(f)
	return p.Make(ir.Expr{Kind: ir.Lambda, Pos: at, Func: f})
}

func match(p *syntax.Parser) *ir.Expr {
	e := ir.Expr{Kind: ir.Call, Pos: p.Here(), X: p.Ident(p.Next())}
	if p.Accept("(") {
		e.Args, _ = p.Elements(")")
	}
	if p.Accept("{") {
		args, _ := p.Elements("}")
		e.Args = append(e.Args, args...)
	}
	return p.Make(e)
}
