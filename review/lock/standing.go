package lock

import (
	"slices"
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// A flag is a member of an object that notes whether an acquire worked.
type flag struct {
	class *ir.Class
	name  string
}

// standing reports whether a lock decides who leads, whatever it is called: it is taken
// again and again, its answer is kept in a member of the object, and other functions ask
// that before they do something.
func (l *Lock) standing(u *Unit) bool {
	for _, o := range l.All(Acquire) {
		if o.In.class() == nil || !o.isRepeated() {
			continue
		}
		flags := o.flags()
		if len(flags) > 0 && slices.ContainsFunc(u.Functions, func(f *Function) bool { return !f.givesBack(l) && f.worksBehind(flags) }) {
			return true
		}
	}
	return false
}

// flags are the members that note whether an acquire worked: they are given its answer, or
// set to true, behind it.
func (o *Op) flags() (flags []flag) {
	c := o.In.class()
	if c == nil {
		return nil
	}
	answers := map[string]bool{}
	for _, n := range o.Names {
		answers[n] = n != "_" && n != ""
		if name, ok := strings.CutPrefix(n, "this."); ok {
			flags = append(flags, flag{c, name})
		}
	}
	o.In.eachStmt(func(s *ir.Stmt) {
		if s.Does != ir.Let || len(s.To) != 1 || s.Pos < o.Stmt().Pos || s == o.Stmt() {
			return
		}
		if name, ok := strings.CutPrefix(s.To[0].Path(), "this."); ok && (s.X.Is("true") || s.X.Kind == ir.Binary && o.onSide(s.X, answers)) {
			flags = append(flags, flag{c, name})
		}
	})
	for _, s := range o.In.Sites { // this.leading.Store(err == nil), this.active.set()
		if r := s.Call.Receiver(); r != nil && notes[s.Call.Method()] && s.Pos() > o.Pos() {
			if name, ok := strings.CutPrefix(r.Path(), "this."); ok && !strings.Contains(name, ".") {
				flags = append(flags, flag{c, name})
			}
		}
	}
	return flags
}

var notes = wordSet("Store set Set lazySet getAndSet compareAndSet Swap")

// isRepeated reports whether an acquire is tried again and again: in a loop, by a timer, in
// a function that one of them calls.
func (o *Op) isRepeated() bool {
	if o.again() || o.In.Beside {
		return true
	}
	return slices.ContainsFunc(o.In.calledBy, func(c call) bool { return c.beside || c.site.again() || c.site.In.Beside })
}

func (s *Site) again() bool {
	if s.Loop() {
		return true
	}
	for _, st := range s.Path {
		if st.Branch != InLambda {
			continue
		}
		timed := false
		st.Stmt.X.Each(func(x *ir.Expr) bool {
			timed = timed || x.Kind == ir.Call && timers[x.Method()] && slices.Contains(x.Args, st.Lambda)
			return !timed
		})
		if timed {
			return true
		}
	}
	return false
}

var timers = wordSet("setInterval scheduleAtFixedRate scheduleWithFixedDelay every schedule fixedRateTimer loop")

// givesBack reports whether a function gives a lock back.
func (f *Function) givesBack(l *Lock) bool {
	return slices.ContainsFunc(l.All(Release, GiveUp), func(o *Op) bool { return o.In == f })
}

// worksBehind reports whether a function does something to the world only where a member
// says so.
func (f *Function) worksBehind(flags []flag) (found bool) {
	f.eachStmt(func(s *ir.Stmt) {
		if found || s.Does != ir.If || !f.asksMember(s.X, flags) {
			return
		}
		from, to, _ := bodyRange(s.Body)
		if negated(s.X) {
			from, to = s.End, f.End
		}
		for _, e := range f.Unit.within(&Section{In: f, From: from, To: to, Acquire: &Op{Site: &Site{Path: []Step{{Stmt: s}}}}}) {
			found = found || e.Kind != CacheFill
		}
	})
	return found
}

// asksMember reports whether a condition asks for one of some members: of this object, or of
// one that is of their class as far as anybody can tell.
func (f *Function) asksMember(e *ir.Expr, flags []flag) (found bool) {
	e.Each(func(x *ir.Expr) bool {
		if x.Kind != ir.Member {
			return !found
		}
		for _, n := range flags {
			if x.Name != n.name {
				continue
			}
			t := shortType(f.typeOf(x.X))
			if x.X.Kind == ir.Name && x.X.Name == "this" {
				found = found || f.class() == n.class
			} else {
				found = found || t == n.class.Name || t == "" && f.class() != n.class
			}
		}
		return !found
	})
	return found
}
