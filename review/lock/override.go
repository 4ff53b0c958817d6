package lock

import "github.com/ringfence-go/ringfence/review/ir"

// maxOverrides bounds how many functions a call of one method is followed to.
const maxOverrides = 8

// overrides are the methods that a call of a method of its own object may reach in classes
// that extend its class: what a base class runs under its lock stands there.
func (u *Unit) overrides(f *Function, e *ir.Expr) (list []*Function) {
	c := f.class()
	receiver := e.Receiver()
	if c == nil || e.Kind != ir.Call || receiver != nil && !(receiver.Kind == ir.Name && receiver.Name == "this") {
		return nil
	}
	for _, g := range u.byName[e.Method()] {
		if gc := g.Func.Class; gc != nil && gc != c && u.extends(gc, c, 6) && len(list) < maxOverrides {
			list = append(list, g)
		}
	}
	return list
}

// extends reports whether a class is made of another one of the unit.
func (u *Unit) extends(c, base *ir.Class, depth int) bool {
	for _, b := range c.Bases {
		name := shortType(b)
		if name == base.Name || depth > 0 && u.classes[name] != nil && u.classes[name] != c && u.extends(u.classes[name], base, depth-1) {
			return true
		}
	}
	return false
}

// onlyOne reports whether a call on something of a type that nobody says can only mean the
// one function of the unit that has its name: it is handed a function and the other one
// calls what it is handed, or clients have no method of that name.
func (u *Unit) onlyOne(f *Function, e *ir.Expr, g *Function) bool {
	receiver := e.Receiver()
	if f.File.Language == ir.Lua && g.File == f.File && g.Func.Outer == g.File.Top() && receiver.Kind == ir.Name {
		return true // a function of a table that the file returns
	}
	if f.File.Language == ir.Go || g.class() == nil || g.class() == f.class() || len(e.Args) > len(g.Params)+1 || f.typeOf(receiver) != "" {
		return false
	}
	if _, imported := f.File.Imported(firstWord(receiver.Path())); imported {
		return false
	}
	if f.isElement(receiver) {
		return false
	}
	for _, a := range e.Args {
		if a.Kind == ir.Lambda && g.callsBack() {
			return true
		}
	}
	return !isCommon(e.Method())
}

// isElement reports whether a value is taken out of a collection, which says nothing of its
// type: the local locks of a process, one for each key.
func (f *Function) isElement(e *ir.Expr) bool {
	v := f.resolve(e)
	switch {
	case v.Kind == ir.Index:
		return true
	case v.Kind != ir.Call || !elements[v.Method()] || v.Receiver() == nil:
		return false
	}
	of := v.In.resolve(v.Receiver())
	return of.Kind == ir.Map || of.Kind == ir.List || collects[shortType(v.In.typeOf(v.Receiver()))] || collects[of.Method()]
}

var (
	elements = wordSet("get setdefault computeIfAbsent getOrDefault fetch compute_if_absent putIfAbsent at pop remove")
	collects = wordSet("Map WeakMap dict defaultdict OrderedDict WeakValueDictionary HashMap ConcurrentHashMap ConcurrentMap LinkedHashMap WeakHashMap LRUCache Hash")
)

// callsBack reports whether a function calls what it is handed.
func (g *Function) callsBack() bool {
	for _, s := range g.Sites {
		path := s.Call.X.Path()
		if path == "yield" {
			return true
		}
		if _, ok := g.param(firstWord(path)); ok && (s.Call.X.Kind == ir.Name || callsBack[s.Call.Method()]) {
			return true
		}
	}
	return false
}

// isCommon reports whether clients and collections have methods of a name.
func isCommon(name string) bool {
	m := normal(name)
	return methods[m] != "" || builders[m] != "" || runs[name] || senders[name] || transparent[name] || httpWrites[name] || httpReads[name] || iterators[name] || commonMethods[m] || len(m) < 4
}

var commonMethods = wordSet("open close connect disconnect start stop init load write read send publish query push pop append next has clear size length keys values items entries contains index copy sort reverse reduce replace split match test bind apply accept info warn error debug trace print format parse dump json text then catch done wait sleep notify begin commit rollback transaction flush save call invoke handle process name path type value data config options setup reset")
