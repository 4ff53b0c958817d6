package lock

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// A Function is a named function with everything in it, its lambdas too: what a
// lambda does happens where it stands, as far as anybody can see.
type Function struct {
	*ir.Func
	Unit  *Unit
	Sites []*Site
	// Beside is set for a function that something starts beside the work.
	Beside bool
	defs   map[string][]def
	calls  []call

	out       []handout // see handouts
	lookedFor bool
	handedOn  []Run // parameters that are handed on to what runs them under a lock
	// calledBy are the calls of it in the unit, and those that make an object by it.
	calledBy []call
	all      []*ir.Stmt // see eachStmt
}

// def is a value that a name may have.
type def struct {
	at    ir.Pos
	x     *ir.Expr
	index int // which of several values it is; -1 if x is the value itself
	typ   string
	in    *Function
	back  bool // it is a parameter of a function that x calls back: x is around every use
}

// call is a call of a function of the unit.
type call struct {
	site   *Site
	to     *Function
	args   []*ir.Expr // what is handed in, if those are not the arguments of the site
	beside bool       // it runs beside the caller: nothing that it does is done when the site is passed
}

// define notes what an assignment gives to its targets.
func (f *Function) define(s *ir.Stmt) {
	for i, to := range s.To {
		d := def{at: s.Pos, x: s.X, index: -1, typ: to.Type, in: f}
		if len(s.To) > 1 || s.X != nil && s.X.Kind != ir.List && s.Does == ir.Let && f.File.Language == ir.JavaScript && to.Pos > s.Pos && f.File.Source[max(0, to.Pos-1)] == '[' {
			d.index = i
			if s.X != nil && s.X.Kind == ir.List && len(s.X.Args) == len(s.To) {
				d.x, d.index = s.X.Args[i], -1
			}
		}
		f.defineName(to, d)
	}
}

func (f *Function) defineName(to *ir.Expr, d def) {
	switch {
	case to.Kind == ir.Name:
		f.defs[to.Name] = append(f.defs[to.Name], d)
	case to.Kind == ir.Member && to.X.Kind == ir.Name && to.X.Name == "this" && f.class() != nil:
		f.Unit.setField(f.class().Name, to.Name, d)
	}
}

// defineElements notes what a loop goes over: for x in list, for (x of list),
// foreach ($list as $x), for _, x := range list.
func (f *Function) defineElements(s *ir.Stmt) {
	for _, to := range s.To {
		f.defineElement(to, s.X)
	}
	if s.X == nil || s.X.Kind != ir.Binary {
		return
	}
	switch s.X.Name {
	case "in", "of":
		f.defineElement(s.X.X, s.X.Args[0])
	case "as":
		f.defineElement(s.X.Args[0], s.X.X)
	}
}

// defineElement notes that a name is given the parts of a value one by one.
func (f *Function) defineElement(to, list *ir.Expr) {
	if to != nil && to.Kind == ir.Name && list != nil {
		f.defs[to.Name] = append(f.defs[to.Name], def{at: to.Pos, x: list, index: 0, in: f})
	}
}

// iterators are methods that hand the parts of what they are called on to a function.
var iterators = wordSet("each forEach each_with_index each_with_object find_each in_batches each_slice map flatMap flat_map collect each_entry each_pair sum filter chunk chunkById lazyById eachById")

// defineFields notes what a literal of a struct gives to its fields.
func (f *Function) defineFields(e *ir.Expr) {
	if e.Kind != ir.Map || e.X == nil {
		return
	}
	for i, a := range e.Args {
		if k := e.Key(i); k != "" {
			f.Unit.setField(shortType(e.X.Name), k, def{at: a.Pos, x: a, index: -1, in: f})
		}
	}
}

// class is the class that a function belongs to, also one that stands in a method.
func (f *Function) class() *ir.Class {
	for fn := f.Func; fn != nil; fn = fn.Outer {
		if fn.Class != nil {
			return fn.Class
		}
	}
	return nil
}

// title is what a function is called; what stands outside of any, by its file, where
// that is a unit of work: a script of Redis, of a shell.
func (f *Function) title() string {
	if f.Name == "" && (f.File.Language == ir.Lua || f.File.Language == ir.Shell) {
		return strings.TrimSuffix(path.Base(filepath.ToSlash(f.File.Path)), path.Ext(f.File.Path))
	}
	return f.Name
}

// param finds a parameter by its name, also one of a function further out.
func (f *Function) param(name string) (ir.Param, bool) {
	for fn := f.Func; fn != nil; fn = fn.Outer {
		for _, p := range fn.Params {
			if p.Name == name {
				return p, true
			}
		}
	}
	return ir.Param{}, false
}

// A Value is an expression with the function in which its names mean something.
type Value struct {
	*ir.Expr
	In *Function
}

// resolve follows names to what they were given, if that is one thing.
func (f *Function) resolve(e *ir.Expr) Value {
	if e == nil {
		return Value{&ir.Expr{}, f}
	}
	if v, known := f.Unit.values[e]; known {
		return v
	}
	v := Value{e, f}
	f.Unit.values[e] = v // a value that is made of itself ends here
	for range 12 {
		next, ok := v.In.step(v.Expr)
		if !ok {
			break
		}
		v = next
	}
	f.Unit.values[e] = v
	return v
}

func (f *Function) step(e *ir.Expr) (Value, bool) {
	if e == nil {
		return Value{}, false
	}
	switch e.Kind {
	case ir.Name:
		if d, ok := f.lookup(e.Name, e.Pos); ok && d.index < 0 && d.x != nil && d.x != e {
			return Value{d.x, d.in}, true
		}
	case ir.Member:
		if d, ok := f.field(e); ok && d.index < 0 && d.x != nil {
			return Value{d.x, d.in}, true
		}
		if f.File.Language == ir.Ruby { // a call without arguments
			return f.given(&ir.Expr{Kind: ir.Call, Pos: e.Pos, End: e.End, X: e})
		}
	case ir.Await:
		return Value{e.X, f}, true
	case ir.Call:
		if v, ok := f.accessed(e); ok {
			return v, true
		}
		if v, ok := f.given(e); ok {
			return v, true
		}
		if transparent[e.Method()] && e.Receiver() != nil && len(e.Args) == 0 {
			return Value{e.Receiver(), f}, true
		}
	}
	return Value{}, false
}

// lookup finds the one value of a name: the last one before it is used, among those
// of the function, the functions around it, the file, the unit.
func (f *Function) lookup(name string, at ir.Pos) (def, bool) {
	if _, isParam := f.param(name); isParam && f.defs[name] == nil && (f.paramIndex(name) >= 0 || !f.givenOutside(name)) {
		return def{}, false
	}
	for fn := f; fn != nil; fn = fn.outer() {
		if d, ok := lastBefore(fn.defs[name], at); ok {
			return d, true
		}
	}
	if list := f.Unit.globals[name]; len(list) == 1 && f.mayUse(name) {
		return list[0], true
	}
	if c := f.class(); c != nil {
		return f.Unit.fieldOf(c.Name, name)
	}
	return def{}, false
}

// givenOutside reports whether a function further out knows what a parameter is given: that
// of a function which goes on with an answer.
func (f *Function) givenOutside(name string) bool {
	for fn := f.outer(); fn != nil; fn = fn.outer() {
		if fn.defs[name] != nil {
			return true
		}
	}
	return false
}

// mayUse reports whether a name of another file of the unit means the same here.
func (f *Function) mayUse(name string) bool {
	switch f.File.Language {
	case ir.Shell:
		return f.sources()
	case ir.Python, ir.JavaScript, ir.Lua:
		_, ok := f.File.Imported(name)
		return ok
	}
	return true
}

// sources reports whether a script of a shell reads another one into itself.
func (f *Function) sources() bool {
	for _, s := range f.Unit.byFunc[f.File.Top()].Sites {
		if path := s.Call.X.Path(); path == "." || path == "source" {
			return true
		}
	}
	return false
}

func (f *Function) outer() *Function {
	for fn := f.Func.Outer; fn != nil; fn = fn.Outer {
		if o := f.Unit.byFunc[fn]; o != nil {
			return o
		}
	}
	return nil
}

func lastBefore(list []def, at ir.Pos) (best def, ok bool) {
	for _, d := range list {
		if d.x != nil && !d.back && at >= d.x.Pos && at < d.x.End {
			continue // n = n + 1 is made of an earlier n
		}
		if !ok || d.at <= at {
			best, ok = d, true
		}
	}
	return best, ok
}

// field finds the value of a member: of this object, of a class, of an object whose
// class is known.
func (f *Function) field(e *ir.Expr) (def, bool) {
	class := ""
	switch {
	case e.X.Kind == ir.Name && e.X.Name == "this" && f.class() != nil:
		class = f.class().Name
	case e.X.Kind == ir.Name && f.Unit.classes[e.X.Name] != nil:
		class = e.X.Name
	case f.isSelf(e.X):
		class = f.class().Name
	default:
		class = shortType(f.typeOf(e.X))
	}
	if class == "" {
		return def{}, false
	}
	return f.Unit.fieldOf(class, e.Name)
}

// isSelf reports whether a name is given the object that the function belongs to: var self =
// this.
func (f *Function) isSelf(e *ir.Expr) bool {
	if e.Kind != ir.Name || f.File.Language != ir.JavaScript || f.class() == nil {
		return false
	}
	v := f.resolve(e)
	return v.Kind == ir.Name && v.Name == "this"
}

// typeOf names the class of a value: what the front-end knows, what is declared,
// what it is made by.
func (f *Function) typeOf(e *ir.Expr) string {
	if e == nil || e.Type != "" {
		return f.typeWithin(e, 1)
	}
	t, known := f.Unit.types[e]
	if !known {
		f.Unit.types[e] = "" // a value that is made of itself ends here
		t = f.typeWithin(e, 6)
		f.Unit.types[e] = t
	}
	return t
}

func (f *Function) typeWithin(e *ir.Expr, depth int) string {
	if e == nil || depth == 0 {
		return ""
	}
	if e.Type != "" {
		return e.Type
	}
	switch e.Kind {
	case ir.Name:
		return f.typeOfName(e, depth)
	case ir.Member:
		if d, ok := f.field(e); ok {
			if d.typ != "" {
				return f.qualify(d.typ)
			}
			return d.in.typeWithin(d.x, depth-1)
		}
	case ir.New:
		return f.qualify(e.X.Path())
	case ir.Map, ir.List:
		if e.X != nil {
			return e.X.Name
		}
	case ir.Await, ir.Unary:
		return f.typeWithin(e.X, depth-1)
	case ir.Index: // of a slice of Go
		element, _ := strings.CutPrefix(f.typeWithin(e.X, depth-1), "[]")
		return element
	case ir.Call:
		return f.typeOfCall(e, depth)
	}
	return ""
}

func (f *Function) typeOfName(e *ir.Expr, depth int) string {
	if d, ok := f.lookup(e.Name, e.Pos); ok {
		if d.typ != "" {
			return f.qualify(d.typ)
		}
		if d.x != e && d.index < 0 {
			return d.in.typeWithin(d.x, depth-1)
		}
		if d.x != nil && d.x.Kind == ir.Call && d.index >= 0 {
			if g := f.Unit.callee(d.in, d.x); g != nil && d.index < len(g.Results) {
				return g.qualify(g.Results[d.index].Type)
			}
		}
		return ""
	}
	if p, ok := f.param(e.Name); ok {
		return f.qualify(p.Type)
	}
	for _, r := range f.Results { // that have names
		if r.Name == e.Name {
			return f.qualify(r.Type)
		}
	}
	return ""
}

// typeOfCall knows constructors: a call of a class, or of one of its functions that
// make one.
func (f *Function) typeOfCall(e *ir.Expr, depth int) string {
	name := e.Method()
	if e.Receiver() == nil {
		if i, ok := f.File.Imported(name); ok && name != "" && isUpper(name) {
			return i.Path + "." + i.Item
		}
		if f.Unit.classes[name] != nil {
			return name
		}
	}
	if name == "new" && e.Receiver() != nil {
		return f.qualify(e.Receiver().Path())
	}
	if t := f.typeGiven(e, depth); t != "" {
		return t
	}
	if makers[shortType(f.typeWithin(e.X, depth-1))] || makers[f.resolve(e.X).Method()] {
		return "Session"
	}
	if path := e.X.Path(); isUpper(lastWord(path)) || strings.HasPrefix(name, "from") || name == "new" || name == "connect" {
		return f.qualify(path)
	}
	return ""
}

// makers are what makes a session when it is called.
var makers = wordSet("sessionmaker async_sessionmaker scoped_session async_scoped_session")

func isUpper(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' }

func lastWord(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// shortType is the last part of a type's name.
func shortType(name string) string {
	return lastWord(strings.ReplaceAll(strings.TrimLeft(name, "*[]"), "\\", "."))
}

// qualify puts the import of a name in front of it.
func (f *Function) qualify(name string) string {
	if name == "" || strings.Contains(name, "/") {
		return name
	}
	first, rest, _ := strings.Cut(name, ".")
	if i, ok := f.File.Imported(first); ok {
		name = i.Path
		if i.Item != "" && i.Item != i.Path {
			name += "." + i.Item
		}
		if rest != "" {
			name += "." + rest
		}
	}
	return name
}
