package python

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang/syntax"
)

func (r reader) importStmt(ir.Pos, int32) *ir.Stmt {
	for !r.Done() && !r.Peek().Line {
		path := r.dotted()
		i := ir.Import{Path: path, Name: strings.SplitN(path, ".", 2)[0]}
		if r.Accept("as") {
			i.Name = r.Next().Text
		}
		r.File.Imports = append(r.File.Imports, i)
		if !r.Accept(",") {
			break
		}
	}
	return r.skipLine(0, 0)
}

// dotted reads a module's name.
func (r reader) dotted() (path string) {
	for t := r.Peek(); !t.Line || path == ""; t = r.Peek() {
		if !(t.Is(".") || t.Is("..") || t.Is("...") || t.Kind == syntax.Ident && !t.Is("import") && !t.Is("as")) {
			break
		}
		path += r.Next().Text
	}
	return path
}

func (r reader) fromStmt(ir.Pos, int32) *ir.Stmt {
	path := r.dotted()
	r.Accept("import")
	r.Accept("(")
	for r.Peek().Kind == syntax.Ident && !r.Peek().Line || r.At("*") {
		item := r.Next().Text
		i := ir.Import{Path: path, Item: item, Name: item}
		if r.Accept("as") {
			i.Name = r.Next().Text
		}
		r.File.Imports = append(r.File.Imports, i)
		if !r.Accept(",") {
			break
		}
	}
	r.Accept(")")
	return nil
}

func (r reader) decorated(column int32) *ir.Stmt {
	var marks []*ir.Expr
	for r.Accept("@") {
		marks = append(marks, r.Expr())
	}
	at := r.Here()
	r.Accept("async")
	switch {
	case r.Accept("def"):
		r.function(at, column, marks)
	case r.Accept("class"):
		r.class(at, column, marks)
	}
	return nil
}

func (r reader) function(at ir.Pos, column int32, marks []*ir.Expr) {
	name := r.Next().Text
	f := r.Open(name, nil)
	f.Pos, f.Marks = at, marks
	class := r.Class
	if f.Outer != nil && f.Outer.Name != "" {
		r.Class = nil
	}
	r.SkipTo("(", ":")
	if r.At("(") {
		f.Params = r.params(class != nil)
	}
	if r.Accept("->") {
		r.Expr()
	}
	r.Class = class
	f.Body = r.block(column)
	r.Close(f)
}

func (r reader) params(method bool) (list []ir.Param) {
	end := int(r.Peek().Match)
	for r.Next(); !r.Done() && !r.Peek().Line && !(r.At(")") && (end == 0 || r.I >= end)); {
		for r.At("*", "**", "/") {
			r.Next()
		}
		if t := r.Peek(); t.Kind == syntax.Ident {
			r.Next()
			list = append(list, r.param(t.Text))
		}
		for !r.Done() && !r.At(",", ")", "]", "}") && !r.Peek().Line {
			r.Skip()
		}
		if !r.Accept(",") && !r.At(")") && !r.Peek().Line {
			r.Next()
		}
	}
	r.Accept(")")
	if method && len(list) > 0 && (list[0].Name == "self" || list[0].Name == "cls") {
		list = list[1:]
	}
	return list
}

func (r reader) param(name string) ir.Param {
	p := ir.Param{Name: name}
	if r.Accept(":") {
		p.Type = typeName(r.Binary(1))
	}
	if r.Accept("=") {
		p.Value = r.one()
	}
	return p
}

// typeName is the class that an annotation names.
func typeName(e *ir.Expr) string {
	if s, ok := e.Literal(); ok {
		return s
	}
	if e.Kind == ir.Index && strings.HasSuffix(e.X.Path(), "Optional") && len(e.Args) == 1 {
		return e.Args[0].Path()
	}
	if e.Kind == ir.Binary && e.Name == "|" {
		return typeName(e.X)
	}
	return e.Path()
}

func (r reader) class(at ir.Pos, column int32, marks []*ir.Expr) {
	c := &ir.Class{Name: r.Next().Text, Pos: at, Marks: marks}
	if r.Accept("(") {
		bases, _ := r.Elements(")")
		for _, b := range bases {
			c.Bases = append(c.Bases, b.Path())
		}
	}
	end := r.OpenClass(c)
	defer end()
	for _, s := range r.block(column) {
		if len(s.To) == 1 && s.To[0].Kind == ir.Name {
			c.Fields = append(c.Fields, ir.Field{Name: s.To[0].Name, Type: s.To[0].Type, Value: s.X})
		} else if s.Does == ir.Eval && s.X.Kind == ir.Name && s.X.Type != "" {
			c.Fields = append(c.Fields, ir.Field{Name: s.X.Name, Type: s.X.Type})
		} else {
			r.Func.Body = append(r.Func.Body, s)
		}
	}
}
