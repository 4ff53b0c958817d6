package lock

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/query"
)

// modelOf is the class that an object mapper's call is about, by an argument that is
// an object of it: db.Save(&lock), db.Where(...).Delete(&JobLock{}); "" if there is none.
func (f *Function) modelOf(e *ir.Expr) string {
	if f.File.Language != ir.Go {
		return ""
	}
	for x := e; x != nil && x.Kind == ir.Call; x = x.Receiver() {
		for _, a := range x.Args {
			if a.Kind == ir.Unary && a.Name == "&" {
				a = a.X
			}
			if t := shortType(f.typeOf(a)); f.Unit.classes[t] != nil {
				return t
			}
		}
	}
	return ""
}

// ownClass is the class whose rows a call without a receiver is about: in a method
// of a class of rows, as Ruby writes it.
func (f *Function) ownClass(e *ir.Expr) string {
	c := f.class()
	if f.File.Language != ir.Ruby || e.Receiver() != nil || c == nil || !f.Unit.isEntity(c.Name) {
		return ""
	}
	if f.Unit.callee(f, e) != nil {
		return ""
	}
	return c.Name
}

// loadedFrom is the table that an object was read from, where it is one of several
// values or of a list: row, created = Lock.objects.get_or_create(...); "" if it is not.
func (f *Function) loadedFrom(name string, at ir.Pos) string {
	d, ok := f.lookup(name, at)
	if !ok || d.index < 0 || d.x == nil || d.x.Kind == ir.Name && d.x.Name == name {
		return ""
	}
	t, seen := f.Unit.tables[d.x]
	if !seen {
		f.Unit.tables[d.x] = "" // an object that is made of itself ends here
		t = d.readFrom()
		f.Unit.tables[d.x] = t
	}
	return t
}

// readFrom is the table that a value was read from.
func (d def) readFrom() string {
	v := d.in.resolve(d.x)
	if v.Kind != ir.Call || builders[normal(v.Method())] == "" && !wheres[v.Method()] {
		return ""
	}
	if t, conn := v.In.tableOf(v.Expr); isUpper(t) || t != "" && conn != nil && t != conn.Path() {
		return t
	}
	return ""
}

// saves are calls that write an object as it is.
var saves = wordSet("Save save save! persist merge saveAndFlush saveOrFail put")

// saved adds what an object was given before it is saved to what the statement sets:
// row.owner = nil, $row->setOwner(null).
func (f *Function) saved(q *Query, e *ir.Expr) {
	if !saves[e.Method()] {
		return
	}
	object := e.Receiver()
	a := e.Arg(0)
	if a != nil && a.Kind == ir.Unary && a.Name == "&" {
		a = a.X
	}
	if a != nil && a.Kind == ir.Name {
		object = a
	}
	path := object.Path()
	if path == "" {
		return
	}
	f.eachStmt(func(s *ir.Stmt) {
		for _, to := range s.To {
			if to.Kind == ir.Member && to.X.Path() == path && s.Pos < e.Pos && len(s.To) == 1 {
				q.Sets = append(q.Sets, query.Pair{Column: to.Name, Op: "=", Value: f.Key(s.X)})
			}
		}
		if c := s.X; s.Does == ir.Eval && c != nil && c.Kind == ir.Call && c.Receiver().Path() == path && s.Pos < e.Pos && len(c.Args) == 1 {
			if name, ok := strings.CutPrefix(c.Method(), "set"); ok && name != "" {
				q.Sets = append(q.Sets, query.Pair{Column: strings.ToLower(strings.Join(words(name), "_")), Op: "=", Value: f.Key(c.Args[0])})
			}
		}
	})
}

// flushes are calls that write what was changed in memory.
var flushes = wordSet("commit flush")

// flushed reads a call that writes the changes of mapped objects: session.commit()
// after row.total = 1, $em->flush() after $row->setTotal(1).
func (f *Function) flushed(s *Site) *Effect {
	e := s.Call
	if !flushes[e.Method()] || len(e.Args) > 0 || e.Receiver() == nil || !f.speaksOrm(e) {
		return nil
	}
	what, changed := "", ir.Pos(0)
	f.eachStmt(func(st *ir.Stmt) {
		for _, to := range st.To {
			if to.Kind == ir.Member && f.isLoaded(to.X) && st.Pos < e.Pos {
				what, changed = to.X.Path(), st.Pos
			}
		}
	})
	for _, other := range f.Sites {
		if other.Pos() < s.Pos() && f.changes(other.Call, s.Call) {
			what, changed = firstWord(other.Call.X.Path()), other.Pos()
		}
	}
	if changed == 0 || f.flushedBetween(s, changed) {
		return nil
	}
	return &Effect{Site: s, Kind: Write, What: "change of " + what, Object: what}
}

// changes reports whether a call is one on an object that was read, or on a part of it, which
// may change it: $row->setTotal(1), and before a flush, which is there for that alone,
// $row->seat($id)->rename($name).
func (f *Function) changes(e, flush *ir.Expr) bool {
	list := words(e.Method())
	if len(list) == 0 || e.Receiver() == nil {
		return false
	}
	if list[0] == "set" && len(list) > 1 {
		return f.isLoaded(e.Receiver())
	}
	root := e.Receiver()
	for root != nil && root.Kind == ir.Call {
		root = root.Receiver()
	}
	return flush.Method() == "flush" && !looks[list[0]] && f.isLoaded(root)
}

// looks are the first words of methods that change nothing.
var looks = wordSet("get is has find to load count exists as equals can should contains")

func (f *Function) flushedBetween(s *Site, from ir.Pos) bool {
	for _, other := range f.Sites {
		if other != s && flushes[other.Call.Method()] && other.Pos() > from && other.Pos() < s.Pos() {
			return true
		}
	}
	return false
}

var loads = wordSet("get find first one one_or_none scalar scalar_one scalar_one_or_none scalars findOneBy findBy query filter_by")

// isLoaded reports whether a value is an object that was read from a database.
func (f *Function) isLoaded(e *ir.Expr) bool {
	if e == nil || e.Kind != ir.Name || e.Name == "this" {
		return false
	}
	d, ok := f.lookup(e.Name, e.Pos)
	if p, given := f.param(e.Name); given && !ok { // loaded by the caller
		t := shortType(p.Type)
		return isUpper(t) && f.isMappedName(t)
	}
	if !ok || d.in != f || d.x == nil {
		return false
	}
	if d.index >= 0 {
		list := f.resolve(d.x)
		return list.Kind == ir.Call && list.In.speaksOrm(list.Expr)
	}
	return (d.x.Kind == ir.Call || d.x.Kind == ir.Await) && f.loaded(d.x)
}

func (f *Function) loaded(x *ir.Expr) bool {
	if x.Kind == ir.Await {
		x = x.X
	}
	return loads[x.Method()] && f.speaksOrm(x)
}
