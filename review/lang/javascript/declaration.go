package javascript

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang/syntax"
)

func statement(p *syntax.Parser) (*ir.Stmt, bool) {
	t, next := p.Peek(), p.PeekAt(1)
	word := t.Kind == syntax.Ident && !next.Is(".") && !next.Is("=") && !next.Is("(")
	switch {
	case t.Kind == syntax.Ident && strings.HasPrefix(t.Text, "@"):
		return nil, decorated(p)
	case t.Is("import") && word || t.Is("export") && (next.Is("*") || next.Is("{")):
		importStmt(p)
		return nil, true
	case word && t.In(modifiers) && !next.Is(":") && (t.Text == "export" || next.Kind == syntax.Ident || next.Is("{")) && !(t.Is("const") || t.Is("async") || t.Is("get") || t.Is("set") || t.Is("static")):
		p.Next()
		return p.Statement(), true
	case word && (t.Is("interface") || t.Is("type") || t.Is("enum") || t.Is("namespace") || t.Is("module")) && (next.Kind == syntax.Ident || next.Kind == syntax.Text):
		return declared(p, t.Text), true
	case t.Is("class") && word:
		class(p)
		return nil, true
	case word && (t.Is("const") || t.Is("let") || t.Is("var") || t.Is("using")):
		return variables(p), true
	case t.Is("function") || t.Is("async") && next.Is("function"):
		p.Accept("async")
		function(p)
		return nil, true
	case t.Kind == syntax.Ident && next.Is(":") && !t.Is("default") && !t.Is("case"):
		p.I += 2
		return nil, true
	}
	return nil, false
}

// importStmt reads import a, { b as c } from 'x', and export ... from.
func importStmt(p *syntax.Parser) {
	p.Next()
	p.Accept("type")
	var names [][2]string
	for !p.Done() && !p.At("from", ";") && p.Peek().Kind != syntax.Text {
		switch t := p.Next(); {
		case t.Is("as") && len(names) > 0 && p.Peek().Kind == syntax.Ident:
			names[len(names)-1][1] = p.Next().Text
		case t.Is("*"):
			names = append(names, [2]string{"", ""})
		case t.Kind == syntax.Ident && !t.Is("type"):
			names = append(names, [2]string{t.Text, t.Text})
		}
	}
	p.Accept("from")
	if p.Peek().Kind != syntax.Text {
		return
	}
	path := p.Next().Text
	p.Accept(";")
	if len(names) == 0 {
		names = [][2]string{{"", ""}}
	}
	for _, n := range names {
		p.File.Imports = append(p.File.Imports, ir.Import{Path: path, Item: n[0], Name: n[1]})
	}
}

// declared steps over what declares types only; the body of a namespace counts.
func declared(p *syntax.Parser, what string) *ir.Stmt {
	at := p.Here()
	p.I += 2
	if what == "type" {
		if end := p.Angles(); end > 0 {
			p.I = end
		}
		if p.Accept("=") {
			p.Type()
		}
		p.Accept(";")
		return nil
	}
	p.SkipTo("{", ";")
	if what == "namespace" || what == "module" {
		return &ir.Stmt{Does: ir.Group, Pos: at, Body: p.Block()}
	}
	if p.At("{") {
		p.Skip()
	}
	return nil
}

// variables reads const a = x, { b, c: d } = y. More than one becomes a group.
func variables(p *syntax.Parser) *ir.Stmt {
	at := p.Here()
	p.Next()
	var list []*ir.Stmt
	for {
		s := variable(p)
		s.End = p.Before()
		list = append(list, s)
		require(p.File, s)
		if !p.Accept(",") {
			break
		}
	}
	p.Accept(";")
	if len(list) == 1 {
		list[0].Pos = at
		return list[0]
	}
	return &ir.Stmt{Does: ir.Group, Pos: at, Body: list}
}

func variable(p *syntax.Parser) *ir.Stmt {
	s := &ir.Stmt{Does: ir.Let, Pos: p.Here()}
	switch {
	case p.At("{"):
		s.To = syntax.Targets(object(p))
	case p.At("["):
		s.To = syntax.Targets(p.List())
	case p.Peek().Kind == syntax.Ident:
		t := p.Next()
		s.To = []*ir.Expr{p.Ident(t)}
	}
	p.Accept("!")
	if p.Accept(":") {
		if name, ok := p.Type(); ok && len(s.To) == 1 {
			s.To[0].Type = name
		}
	}
	if p.Accept("=") {
		s.X = p.Expr()
		nameLambda(s)
	} else {
		s.X = &ir.Expr{Kind: ir.Const, Name: "nil", Pos: p.Here(), End: p.Here()}
	}
	return s
}

// nameLambda gives a function the name of the variable that holds it.
func nameLambda(s *ir.Stmt) {
	if s.X.Kind == ir.Lambda && s.X.Func.Name == "" && len(s.To) == 1 && s.To[0].Kind == ir.Name {
		s.X.Func.Name = s.To[0].Name
	}
}

// require makes imports of const x = require('y').
func require(f *ir.File, s *ir.Stmt) {
	call, item := s.X, ""
	for call != nil && call.Kind == ir.Member {
		item, call = call.Name, call.X
	}
	if call == nil || call.Kind != ir.Call || call.Method() != "require" || len(call.Args) != 1 {
		return
	}
	path, ok := call.Args[0].Literal()
	if !ok {
		return
	}
	for _, to := range s.To {
		if to.Kind == ir.Name {
			f.Imports = append(f.Imports, ir.Import{Path: path, Item: item, Name: to.Name})
		}
	}
}

func decorator(p *syntax.Parser) *ir.Expr {
	t := p.Next()
	e := p.Make(ir.Expr{Kind: ir.Name, Pos: ir.Pos(t.Pos), Name: strings.TrimPrefix(t.Text, "@")})
	return p.Postfix(e)
}

// decorated reads decorators in front of a class.
func decorated(p *syntax.Parser) bool {
	var marks []*ir.Expr
	for strings.HasPrefix(p.Peek().Text, "@") {
		marks = append(marks, decorator(p))
	}
	for p.At("export", "default", "abstract") {
		p.Next()
	}
	if p.At("class") {
		class(p).Marks = marks
	}
	return true
}

func class(p *syntax.Parser) *ir.Class {
	c := &ir.Class{Pos: p.Here()}
	p.Next()
	if p.Peek().Kind == syntax.Ident && !p.At("extends", "implements") {
		c.Name = p.Next().Text
	}
	for !p.Done() && !p.At("{", "}", ")", ";") {
		if name, ok := p.Type(); ok {
			c.Bases = append(c.Bases, name)
		} else {
			p.Next()
		}
	}
	end := p.OpenClass(c)
	defer end()
	for p.Accept("{"); !p.Done() && !p.At("}"); {
		at := p.I
		classMember(p)
		if p.I == at {
			p.Next()
		}
	}
	p.Accept("}")
	return c
}

func classMember(p *syntax.Parser) {
	var marks []*ir.Expr
	for {
		t, next := p.Peek(), p.PeekAt(1)
		if t.Kind == syntax.Ident && strings.HasPrefix(t.Text, "@") {
			marks = append(marks, decorator(p))
		} else if (t.In(modifiers) || t.Is("*")) && !next.Is("(") && !next.Is("=") && !next.Is(":") && !next.Is(";") {
			p.Next()
		} else {
			break
		}
	}
	t := p.Peek()
	switch {
	case t.Is("{"):
		p.Func.Body = append(p.Func.Body, p.Block()...)
		return
	case t.Is("["):
		p.Skip()
	case t.Kind == syntax.Ident || t.Kind == syntax.Text || t.Kind == syntax.Number:
		p.Next()
	default:
		return
	}
	memberRest(p, t, marks)
}

func memberRest(p *syntax.Parser, t syntax.Token, marks []*ir.Expr) {
	name := strings.TrimPrefix(t.Text, "#")
	if p.At("?", "!") {
		p.Next()
	}
	if p.At("(") || p.At("<") {
		f := p.FuncBody(name, params)
		f.Marks, f.Pos = marks, ir.Pos(t.Pos)
		return
	}
	field := ir.Field{Name: name}
	if p.Accept(":") {
		field.Type, _ = p.Type()
	}
	if p.Accept("=") {
		field.Value = p.Expr()
		if field.Value.Kind == ir.Lambda && p.Class != nil {
			field.Value.Func.Name = name
			p.Class.Methods = append(p.Class.Methods, field.Value.Func)
		}
	}
	p.Accept(";")
	p.Class.Fields = append(p.Class.Fields, field)
}
