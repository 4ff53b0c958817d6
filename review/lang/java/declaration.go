package java

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang/syntax"
)

var modifiers = syntax.Set("public", "private", "protected", "static", "final", "abstract", "synchronized", "volatile", "transient", "native", "default", "sealed", "strictfp")
var classWords = syntax.Set("class", "interface", "enum", "record", "@interface")

func statement(p *syntax.Parser) (*ir.Stmt, bool) {
	t := p.Peek()
	switch {
	case t.Is("package") || t.Is("import"):
		importStmt(p)
		return nil, true
	case t.Is("synchronized") && p.PeekAt(1).Is("("):
		p.Next()
		p.Skip()
		return &ir.Stmt{Does: ir.Group, Pos: ir.Pos(t.Pos), Body: p.Block()}, true
	case t.Kind == syntax.Ident && strings.HasPrefix(t.Text, "@"), t.In(modifiers) && !p.PeekAt(1).Is(":") && !p.PeekAt(1).Is("->"),
		t.In(classWords) && p.PeekAt(1).Kind == syntax.Ident && !p.PeekAt(2).Is("="):
		return declaration(p)
	case t.Is("yield") && !p.PeekAt(1).Is("("):
		p.Next()
		return p.Simple(), true
	case t.Kind == syntax.Ident:
		return local(p)
	}
	return nil, false
}

func importStmt(p *syntax.Parser) {
	word := p.Next()
	p.Accept("static")
	path := ""
	for !p.Done() && !p.At(";") && !p.Peek().NewLine {
		path += p.Next().Text
	}
	p.Accept(";")
	if word.Is("import") {
		p.File.Imports = append(p.File.Imports, ir.Import{Path: path, Name: path[strings.LastIndexByte(path, '.')+1:]})
	}
}

// declaration reads a class, or a local variable with modifiers.
func declaration(p *syntax.Parser) (*ir.Stmt, bool) {
	marks := annotations(p)
	for p.Peek().In(modifiers) {
		p.Next()
		marks = append(marks, annotations(p)...)
	}
	if p.Peek().In(classWords) {
		class(p, marks)
		return nil, true
	}
	if s, ok := local(p); ok {
		return s, true
	}
	return p.Simple(), true
}

// local reads the declaration of a variable: a type, a name, then a value or nothing.
func local(p *syntax.Parser) (*ir.Stmt, bool) {
	from := p.I
	at := p.Here()
	name, ok := p.Type()
	t, next := p.Peek(), p.PeekAt(1)
	if !ok || t.Kind != syntax.Ident || !(next.Is("=") || next.Is(";") || next.Is(",") || next.Is(":") || next.Is(")")) || p.Toks[from].Is("return") || p.Toks[from].Is("throw") {
		p.I = from
		return nil, false
	}
	p.Next()
	to := p.Ident(t)
	to.Type = name
	s := &ir.Stmt{Does: ir.Let, Pos: at, To: []*ir.Expr{to}}
	if p.Accept("=") || p.Accept(":") {
		s.X = p.Expr()
	} else {
		s.X = &ir.Expr{Kind: ir.Const, Name: "nil", Pos: p.Here(), End: p.Here()}
	}
	for p.Accept(",") {
		p.Expr()
	}
	p.Accept(";")
	return s, true
}

func class(p *syntax.Parser, marks []*ir.Expr) {
	c := &ir.Class{Pos: p.Here(), Marks: marks}
	p.Next()
	c.Name = p.Next().Text
	if end := p.Angles(); end > 0 {
		p.I = end
	}
	if p.At("(") { // a record
		for _, param := range params(p) {
			c.Fields = append(c.Fields, ir.Field{Name: param.Name, Type: param.Type})
		}
	}
	for !p.Done() && !p.At("{", "}", ")", ";") {
		from := p.I
		if name, ok := p.Type(); ok && name != "implements" && name != "extends" {
			c.Bases = append(c.Bases, bases(p, from, name)...)
		} else if p.I == from {
			p.Next()
		}
	}
	body(p, c)
}

// bases are the class and its type arguments: JpaRepository<Lock, String> says
// what it stores.
func bases(p *syntax.Parser, from int, name string) []string {
	list := []string{name}
	for i := from + 1; i < p.I; i++ {
		if t := p.Toks[i]; t.Kind == syntax.Ident && !t.Is("extends") {
			list = append(list, t.Text)
		}
	}
	return list
}

func body(p *syntax.Parser, c *ir.Class) {
	end := p.OpenClass(c)
	defer end()
	for p.Accept("{"); !p.Done() && !p.At("}"); {
		at := p.I
		member(p)
		if p.I == at {
			p.Next()
		}
	}
	p.Accept("}")
}

func member(p *syntax.Parser) {
	marks := annotations(p)
	for p.Peek().In(modifiers) {
		p.Next()
		marks = append(marks, annotations(p)...)
	}
	switch t := p.Peek(); {
	case t.In(classWords) && p.PeekAt(1).Kind == syntax.Ident:
		class(p, marks)
		return
	case t.Is("{"):
		p.Func.Body = append(p.Func.Body, p.Block()...)
		return
	case t.Is("<"):
		p.I = max(p.Angles(), p.I)
	}
	at := p.Here()
	name, ok := p.Type()
	switch {
	case ok && p.At("("):
		method(p, name, at, marks)
	case ok && p.Peek().Kind == syntax.Ident && p.PeekAt(1).Is("("):
		at = p.Here()
		method(p, p.Next().Text, at, marks)
	case ok && p.Peek().Kind == syntax.Ident:
		fields(p, name, marks)
	default:
		p.SkipTo(";", ",")
	}
}

func method(p *syntax.Parser, name string, at ir.Pos, marks []*ir.Expr) {
	f := p.FuncBody(name, params)
	f.Pos, f.Marks = at, marks
}

func fields(p *syntax.Parser, typ string, marks []*ir.Expr) {
	for p.Peek().Kind == syntax.Ident {
		f := ir.Field{Name: p.Next().Text, Type: typ}
		if p.Accept("=") {
			f.Value = p.Expr()
		}
		for _, m := range marks {
			if m.Method() == "Version" || m.Name == "Version" {
				p.Class.Marks = append(p.Class.Marks, m)
			}
		}
		p.Class.Fields = append(p.Class.Fields, f)
		if !p.Accept(",") {
			break
		}
	}
	p.Accept(";")
}
