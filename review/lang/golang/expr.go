package golang

import (
	"go/ast"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/ringfence-go/ringfence/review/ir"
)

func (l *lowering) expr(e ast.Expr) *ir.Expr {
	if e == nil {
		return nil
	}
	out := &ir.Expr{Pos: l.pos(e.Pos()), End: l.pos(e.End())}
	if l.depth++; l.depth > maxDepth {
		l.depth--
		l.tooDeep(out.Pos)
		return out
	}
	defer func() { l.depth-- }()
	l.shape(e, out)
	if l.info != nil && (out.Kind == ir.Name || out.Kind == ir.Member || out.Kind == ir.Call) {
		if t := l.info.TypeOf(e); t != nil {
			out.Type = l.typeName(t)
		}
	}
	return out
}

func (l *lowering) shape(e ast.Expr, out *ir.Expr) {
	switch e := e.(type) {
	case *ast.Ident:
		l.ident(e, out)
	case *ast.BasicLit:
		l.literal(e, out)
	case *ast.SelectorExpr:
		out.Kind, out.Name, out.X = ir.Member, e.Sel.Name, l.expr(e.X)
	case *ast.CallExpr:
		out.Kind, out.X = ir.Call, l.expr(e.Fun)
		out.X.Callee = l.callee(e)
		for _, a := range e.Args {
			out.Args = append(out.Args, l.expr(a))
		}
	case *ast.FuncLit:
		f := &ir.Func{File: l.file, Outer: l.fn, Pos: out.Pos, End: out.End, Params: l.params(e.Type.Params), Results: l.params(e.Type.Results)}
		l.file.Funcs = append(l.file.Funcs, f)
		l.inside(f, e.Body)
		out.Kind, out.Func = ir.Lambda, f
	case *ast.CompositeLit:
		l.composite(e, out)
	case *ast.BinaryExpr:
		out.Kind, out.Name, out.X, out.Args = ir.Binary, e.Op.String(), l.expr(e.X), []*ir.Expr{l.expr(e.Y)}
	case *ast.UnaryExpr:
		out.Kind, out.Name, out.X = ir.Unary, e.Op.String(), l.expr(e.X)
	case *ast.ParenExpr:
		*out = *l.expr(e.X)
	case *ast.StarExpr:
		*out = *l.expr(e.X)
	case *ast.IndexExpr:
		out.Kind, out.X, out.Args = ir.Index, l.expr(e.X), []*ir.Expr{l.expr(e.Index)}
	case *ast.IndexListExpr:
		*out = *l.expr(e.X)
	case *ast.SliceExpr:
		*out = *l.expr(e.X)
	case *ast.TypeAssertExpr:
		*out = *l.expr(e.X)
	case *ast.KeyValueExpr:
		*out = *l.expr(e.Value)
	}
}

func (l *lowering) ident(e *ast.Ident, out *ir.Expr) {
	out.Kind, out.Name = ir.Name, e.Name
	switch {
	case e.Name == "true" || e.Name == "false" || e.Name == "nil":
		out.Kind = ir.Const
	case e.Name == l.this && e.Name != "_":
		out.Name = "this"
	}
}

func (l *lowering) literal(e *ast.BasicLit, out *ir.Expr) {
	if text, err := strconv.Unquote(e.Value); err == nil {
		out.Kind, out.Name = ir.String, text
		return
	}
	out.Kind, out.Name = ir.Number, e.Value
}

// composite makes a map of T{a: x}, a list of []T{x}.
func (l *lowering) composite(e *ast.CompositeLit, out *ir.Expr) {
	out.Kind = ir.List
	if e.Type != nil {
		if name := l.typeText(e.Type); name != "" {
			out.X = &ir.Expr{Kind: ir.Name, Name: last(name), Type: name, Pos: out.Pos, End: out.Pos}
		}
	}
	for i, elt := range e.Elts {
		key := ""
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			key = l.keyText(kv.Key)
		}
		if key != "" && out.Keys == nil {
			out.Kind, out.Keys = ir.Map, make([]string, i)
		}
		if out.Args = append(out.Args, l.expr(elt)); out.Keys != nil {
			out.Keys = append(out.Keys, key)
		}
	}
}

func (l *lowering) keyText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil {
			return text
		}
		return e.Value
	}
	return "?"
}

// callee names the function or method that a call calls, "" if that is a value, or
// belongs to no package.
func (l *lowering) callee(e *ast.CallExpr) string {
	if l.info == nil {
		return ""
	}
	f, ok := typeutil.Callee(l.info, e).(*types.Func)
	if !ok || f.Pkg() == nil {
		return ""
	}
	f = f.Origin()
	name := f.Name()
	if r := f.Signature().Recv(); r != nil {
		name = last(l.typeName(r.Type())) + "." + name
	}
	return f.Pkg().Path() + "." + name
}
