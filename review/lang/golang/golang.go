// Package golang reads Go, with types where a caller has them.
package golang

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// Parse reads a file by its syntax alone.
func Parse(path string, src []byte) *ir.File {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, src, parser.ParseComments|parser.SkipObjectResolution)
	if file == nil {
		file = &ast.File{Name: ast.NewIdent("_")}
	}
	f := Lower(fset, file, src, nil)
	f.Path = path
	var list scanner.ErrorList
	if errors.As(err, &list) {
		for _, e := range list[:min(len(list), 10)] {
			f.Faults = append(f.Faults, ir.Fault{Pos: ir.Pos(e.Pos.Offset), Text: e.Msg})
		}
	} else if err != nil {
		f.Faults = append(f.Faults, ir.Fault{Text: err.Error()})
	}
	return f
}

// Lower makes a file of a syntax tree. With info, values carry their types; without,
// only what is declared does.
func Lower(fset *token.FileSet, file *ast.File, src []byte, info *types.Info) *ir.File {
	f := &ir.File{Path: fset.Position(file.Pos()).Filename, Language: ir.Go, Source: src}
	l := &lowering{fset: fset, file: f, info: info, names: map[types.Type]string{}}
	f.Funcs = []*ir.Func{{File: f, End: ir.Pos(len(src))}}
	l.fn = f.Funcs[0]
	l.imports(file)
	for _, d := range file.Decls {
		l.decl(d)
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			text := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(c.Text, "//"), "/*"), "*/")
			f.Comments = append(f.Comments, ir.Comment{Pos: l.pos(c.Pos()), End: l.pos(c.End()), Text: text})
		}
	}
	return f
}

type lowering struct {
	fset    *token.FileSet
	file    *ir.File
	info    *types.Info
	names   map[types.Type]string
	fn      *ir.Func
	this    string // the receiver of the method that is being read
	classes map[string]*ir.Class
	depth   int
}

// maxDepth bounds nesting; go/parser has a bound of its own that is far higher.
const maxDepth = 300

// tooDeep notes, once, that what is further in is not read.
func (l *lowering) tooDeep(p ir.Pos) {
	if len(l.file.Faults) == 0 {
		l.file.Faults = append(l.file.Faults, ir.Fault{Pos: p, Text: "nested too deeply"})
	}
}

func (l *lowering) pos(p token.Pos) ir.Pos {
	if !p.IsValid() {
		return 0
	}
	return ir.Pos(l.fset.PositionFor(p, false).Offset)
}

func (l *lowering) imports(file *ast.File) {
	for _, s := range file.Imports {
		path, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			continue
		}
		i := ir.Import{Path: path, Name: packageName(path)}
		if s.Name != nil {
			i.Name = s.Name.Name
		}
		l.file.Imports = append(l.file.Imports, i)
	}
}

// packageName guesses what a package is called from its path.
func packageName(path string) string {
	parts := strings.Split(path, "/")
	name := parts[len(parts)-1]
	if len(parts) > 1 && len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" {
		name = parts[len(parts)-2]
	}
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "go-"), ".")
	return name
}

func (l *lowering) class(name string) *ir.Class {
	if c := l.classes[name]; c != nil {
		return c
	}
	if l.classes == nil {
		l.classes = map[string]*ir.Class{}
	}
	c := &ir.Class{Name: name}
	l.classes[name] = c
	l.file.Classes = append(l.file.Classes, c)
	return c
}

func (l *lowering) decl(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		l.funcDecl(d)
	case *ast.GenDecl:
		l.fn.Body = append(l.fn.Body, l.genDecl(d)...)
	}
}

func (l *lowering) funcDecl(d *ast.FuncDecl) {
	f := &ir.Func{Name: d.Name.Name, File: l.file, Outer: l.file.Funcs[0], Pos: l.pos(d.Pos()), End: l.pos(d.End())}
	l.this = ""
	if d.Recv != nil && len(d.Recv.List) > 0 {
		f.Class = l.class(last(l.typeText(d.Recv.List[0].Type)))
		f.Class.Methods = append(f.Class.Methods, f)
		if names := d.Recv.List[0].Names; len(names) > 0 {
			l.this = names[0].Name
		}
	}
	l.file.Funcs = append(l.file.Funcs, f)
	f.Params, f.Results = l.params(d.Type.Params), l.params(d.Type.Results)
	l.inside(f, d.Body)
}

func (l *lowering) inside(f *ir.Func, body *ast.BlockStmt) {
	outer := l.fn
	l.fn = f
	if body != nil {
		f.Body = l.block(body)
	}
	l.fn = outer
}

func (l *lowering) params(list *ast.FieldList) (params []ir.Param) {
	if list == nil {
		return nil
	}
	for _, field := range list.List {
		typ := l.typeText(field.Type)
		for _, n := range field.Names {
			params = append(params, ir.Param{Name: n.Name, Type: typ})
		}
		if len(field.Names) == 0 {
			params = append(params, ir.Param{Type: typ})
		}
	}
	return params
}

func (l *lowering) genDecl(d *ast.GenDecl) (list []*ir.Stmt) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			l.typeSpec(s)
		case *ast.ValueSpec:
			list = append(list, l.valueSpec(s)...)
		}
	}
	return list
}

func (l *lowering) typeSpec(s *ast.TypeSpec) {
	c := l.class(s.Name.Name)
	c.Pos = l.pos(s.Pos())
	fields := (*ast.FieldList)(nil)
	switch t := s.Type.(type) {
	case *ast.StructType:
		fields = t.Fields
	case *ast.InterfaceType:
		for _, m := range t.Methods.List {
			for _, n := range m.Names {
				c.Wants = append(c.Wants, n.Name)
			}
		}
		return
	default:
		return
	}
	for _, f := range fields.List {
		typ := l.typeText(f.Type)
		for _, n := range f.Names {
			c.Fields = append(c.Fields, ir.Field{Name: n.Name, Type: typ})
		}
		if len(f.Names) == 0 {
			c.Fields = append(c.Fields, ir.Field{Name: last(typ), Type: typ})
			c.Bases = append(c.Bases, typ)
		}
	}
}

func (l *lowering) valueSpec(s *ast.ValueSpec) (list []*ir.Stmt) {
	let := func(to []*ir.Expr, x *ir.Expr) {
		list = append(list, &ir.Stmt{Does: ir.Let, Pos: l.pos(s.Pos()), End: l.pos(s.End()), To: to, X: x})
	}
	var names []*ir.Expr
	for _, n := range s.Names {
		e := l.expr(n)
		if s.Type != nil && e.Type == "" {
			e.Type = l.typeText(s.Type)
		}
		names = append(names, e)
	}
	switch {
	case len(s.Values) == len(names):
		for i, v := range s.Values {
			let(names[i:i+1], l.expr(v))
		}
	case len(s.Values) == 1:
		let(names, l.expr(s.Values[0]))
	default:
		let(names, &ir.Expr{Kind: ir.Const, Name: "nil", Pos: l.pos(s.End()), End: l.pos(s.End())})
	}
	return list
}

func last(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// typeText names a type: its import path, a dot, its name; pointers aside.
func (l *lowering) typeText(e ast.Expr) string {
	if l.info != nil {
		if t := l.info.TypeOf(e); t != nil {
			if name := l.typeName(t); name != "" {
				return name
			}
		}
	}
	switch e := e.(type) {
	case *ast.StarExpr:
		return l.typeText(e.X)
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			if i, ok := l.file.Imported(x.Name); ok {
				return i.Path + "." + e.Sel.Name
			}
			return x.Name + "." + e.Sel.Name
		}
	case *ast.IndexExpr:
		return l.typeText(e.X)
	case *ast.ArrayType:
		return "[]" + l.typeText(e.Elt)
	case *ast.FuncType:
		return "func"
	case *ast.Ellipsis:
		return l.typeText(e.Elt)
	}
	return ""
}

func (l *lowering) typeName(t types.Type) string {
	if name, ok := l.names[t]; ok {
		return name
	}
	name := ""
	switch u := types.Unalias(t).(type) {
	case *types.Pointer:
		name = l.typeName(u.Elem())
	case *types.Named:
		name = u.Obj().Name()
		if p := u.Obj().Pkg(); p != nil {
			name = p.Path() + "." + name
		}
	case *types.Signature:
		name = "func"
	case *types.Basic:
		if u.Kind() != types.Invalid {
			name = u.Name()
		}
	case *types.Slice:
		if elem := l.typeName(u.Elem()); elem != "" {
			name = "[]" + elem
		}
	}
	l.names[t] = name
	return name
}
