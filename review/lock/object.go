package lock

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// constructors are what the function that makes an object is called, where it is not
// called like its class.
var constructors = wordSet("__init__ constructor initialize __construct")

// construct notes what the fields of an object are given where it is made: in the order
// in which its class declares them, or by their names, if it has no constructor.
func (u *Unit) construct() {
	made := map[string]*Function{}
	for _, f := range u.Functions {
		if c := f.Func.Class; c != nil && (constructors[f.Name] || f.Name == c.Name) {
			made[c.Name] = f
		}
	}
	for _, f := range u.Functions {
		for _, s := range f.Sites {
			class := f.classMade(s.Call)
			if class == nil {
				continue
			}
			if g := made[class.Name]; g != nil {
				g.calledBy = append(g.calledBy, call{site: s, to: g})
				continue
			}
			f.fillFields(class, s.Call)
		}
	}
}

// classMade is the class of the unit that a call makes an object of, nil if it is none.
func (f *Function) classMade(e *ir.Expr) *ir.Class {
	switch {
	case e.Kind == ir.New:
		return f.Unit.classes[shortType(e.X.Path())]
	case e.Method() == "new" && e.Receiver() != nil:
		return f.Unit.classes[shortType(e.Receiver().Path())]
	case e.X != nil && e.X.Kind == ir.Name && e.X.Name == "this": // cls(...)
		return f.class()
	case e.Receiver() == nil && isUpper(e.Method()):
		return f.Unit.classes[e.Method()]
	}
	return nil
}

func (f *Function) fillFields(class *ir.Class, e *ir.Expr) {
	for i, a := range e.Args {
		name := e.Key(i)
		if name == "" && i < len(class.Fields) {
			name = class.Fields[i].Name
		}
		if name != "" {
			f.Unit.setField(class.Name, name, def{at: a.Pos, x: a, index: -1, in: f})
		}
	}
}

// accessed is the field that a call without arguments reads from an object of the unit
// which has a field of that name and no function: grant.fence() of a record.
func (f *Function) accessed(e *ir.Expr) (Value, bool) {
	if e.Kind != ir.Call || len(e.Args) > 0 || e.Receiver() == nil {
		return Value{}, false
	}
	class := shortType(f.typeOf(e.Receiver()))
	if class == "" || f.Unit.classes[class] == nil || f.Unit.callee(f, e) != nil {
		return Value{}, false
	}
	d, ok := f.Unit.fieldOf(class, e.Method())
	if !ok || d.x == nil || d.index >= 0 {
		return Value{}, false
	}
	return Value{d.x, d.in}, true
}

// given is what a function of the unit gives back that does little else: a getter, one
// that makes a client when it is first asked for.
func (f *Function) given(e *ir.Expr) (Value, bool) {
	g := f.Unit.callee(f, e)
	if g == nil || g == f || len(e.Args) > 0 || len(g.Body) == 0 || len(g.Body) > 3 {
		return Value{}, false
	}
	last := g.Body[len(g.Body)-1]
	if last.X == nil || last.Does != ir.Return && !(g.Short && (last.Does == ir.Eval || last.Does == ir.Let)) {
		return Value{}, false
	}
	switch last.X.Kind {
	case ir.Name, ir.Member, ir.New, ir.Call, ir.String:
		return Value{last.X, g}, true
	case ir.Assign, ir.Binary: // @client ||= make, client ?? make
		return Value{last.X.Args[0], g}, last.X.Name == "||=" || last.X.Name == "??=" || last.X.Kind == ir.Assign
	}
	return Value{}, false
}

// typeGiven is the class of the object that a method returns when it returns its own:
// new Mutex(id).enter().
func (f *Function) typeGiven(e *ir.Expr, depth int) string {
	if e.Receiver() == nil {
		return ""
	}
	class := f.typeWithin(e.Receiver(), depth-1)
	if f.Unit.classes[shortType(class)] == nil {
		return ""
	}
	g := f.Unit.callee(f, e)
	if g == nil {
		return ""
	}
	itself := false
	g.eachStmt(func(s *ir.Stmt) {
		itself = itself || s.Does == ir.Return && s.X != nil && s.X.Kind == ir.Name && s.X.Name == "this"
	})
	if itself {
		return class
	}
	return ""
}

// tupleClass is the class that a statement makes of the names of its fields: namedtuple in
// Python, Struct and Data in Ruby; nil if it makes none.
func tupleClass(s *ir.Stmt) *ir.Class {
	if s.Does != ir.Let || len(s.To) != 1 || s.To[0].Kind != ir.Name || s.X == nil || s.X.Kind != ir.Call {
		return nil
	}
	names := s.X.Args
	switch path := s.X.X.Path(); {
	case s.X.Method() == "namedtuple" && len(names) > 1:
		names = names[1:]
		if names[0].Kind == ir.List {
			names = names[0].Args
		}
	case path == "Struct.new" || path == "Data.define":
	default:
		return nil
	}
	c := &ir.Class{Name: s.To[0].Name, Pos: s.Pos}
	for _, a := range names {
		text, _ := a.Literal()
		for _, name := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
			c.Fields = append(c.Fields, ir.Field{Name: name})
		}
	}
	return c
}
