package php

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang/syntax"
)

var modifiers = syntax.Set("public", "private", "protected", "static", "final", "abstract", "readonly", "var")

func statement(p *syntax.Parser) (*ir.Stmt, bool) {
	t, next := p.Peek(), p.PeekAt(1)
	switch {
	case t.Is("namespace") || t.Is("declare"):
		p.SkipTo(";", "{")
		if !p.Accept(";") && p.At("{") {
			return &ir.Stmt{Does: ir.Group, Pos: ir.Pos(t.Pos), Body: p.Block()}, true
		}
		return nil, true
	case t.Is("use"):
		use(p)
		return nil, true
	case t.Is("#") && next.Is("["):
		p.Next()
		p.Skip()
		return nil, true
	case (t.Is("final") || t.Is("abstract") || t.Is("readonly")) && next.Kind == syntax.Ident:
		p.Next()
		return p.Statement(), true
	case (t.Is("class") || t.Is("interface") || t.Is("trait") || t.Is("enum")) && next.Kind == syntax.Ident:
		class(p)
		return nil, true
	case t.Is("function") && (next.Kind == syntax.Ident || next.Is("&")):
		p.Next()
		p.Accept("&")
		name := p.Next()
		f := p.FuncBody(name.Text, params)
		f.Pos = ir.Pos(t.Pos)
		return nil, true
	case t.Is("echo"):
		p.Next()
		return p.Simple(), true
	case t.Is("exit") || t.Is("die"):
		return &ir.Stmt{Does: ir.Raise, Pos: ir.Pos(t.Pos), X: p.Simple().X}, true
	case t.Is("const"):
		p.Next()
		return p.Simple(), true
	}
	return nil, false
}

// use reads use A\B\{C, D as E};
func use(p *syntax.Parser) {
	p.Next()
	p.Accept("function")
	path, group := "", ""
	add := func(name string) {
		if path != "" {
			p.File.Imports = append(p.File.Imports, ir.Import{Path: group + path, Name: name})
		}
		path = ""
	}
	name := ""
	for !p.Done() && !p.At(";") {
		switch t := p.Next(); {
		case t.Is("{"):
			group, path = path, ""
		case t.Is("as"):
			name = p.Next().Text
			add(name)
		case t.Is(",") || t.Is("}"):
			add(name)
		default:
			path += t.Text
			name = t.Text
		}
	}
	add(name)
	p.Accept(";")
}

func class(p *syntax.Parser) {
	c := &ir.Class{Pos: p.Here()}
	p.Next()
	c.Name = p.Next().Text
	classBody(p, c)
}

func classBody(p *syntax.Parser, c *ir.Class) {
	for !p.Done() && !p.At("{", "}", ";", ")") {
		if t := p.Next(); t.Kind == syntax.Ident && !t.Is("extends") && !t.Is("implements") {
			c.Bases = append(c.Bases, t.Text)
		}
	}
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
	for p.At("#") && p.PeekAt(1).Is("[") {
		p.Next()
		p.Skip()
	}
	for p.Peek().In(modifiers) {
		p.Next()
	}
	switch t := p.Peek(); {
	case t.Is("function"):
		p.Next()
		p.Accept("&")
		name := p.Next().Text
		f := p.FuncBody(name, params)
		f.Pos = ir.Pos(t.Pos)
	case t.Is("use") || t.Is("case"):
		p.SkipTo(";", "{")
		if p.At("{") {
			p.Skip()
		}
		p.Accept(";")
	default:
		field(p)
	}
}

// field reads a property or a constant.
func field(p *syntax.Parser) {
	p.Accept("const")
	f := ir.Field{}
	if !strings.HasPrefix(p.Peek().Text, "$") && !p.PeekAt(1).Is("=") {
		p.Accept("?")
		f.Type, _ = p.Type()
	}
	if p.Peek().Kind != syntax.Ident {
		return
	}
	f.Name = strings.TrimPrefix(p.Next().Text, "$")
	if p.Accept("=") {
		f.Value = p.Expr()
	}
	p.Class.Fields = append(p.Class.Fields, f)
	p.SkipTo(";")
	p.Accept(";")
}

func params(p *syntax.Parser) (list []ir.Param) {
	end := int(p.Peek().Match)
	for p.Next(); !p.Done() && !(p.At(")") && (end == 0 || p.I >= end)); {
		at := p.I
		list = append(list, param(p))
		p.SkipTo(",", ")")
		if !p.Accept(",") && p.I == at {
			p.Next()
		}
	}
	p.Accept(")")
	return list
}

func param(p *syntax.Parser) (param ir.Param) {
	promoted := false
	for p.Peek().In(modifiers) {
		promoted = true
		p.Next()
	}
	p.Accept("?")
	if !strings.HasPrefix(p.Peek().Text, "$") {
		param.Type, _ = p.Type()
	}
	for p.At("&", "...") {
		p.Next()
	}
	if t := p.Peek(); t.Kind == syntax.Ident {
		param.Name = p.Next().Text
	}
	if p.Accept("=") {
		param.Value = p.Expr()
	}
	if promoted && p.Class != nil {
		p.Class.Fields = append(p.Class.Fields, ir.Field{Name: strings.TrimPrefix(param.Name, "$"), Type: param.Type})
	}
	return param
}
