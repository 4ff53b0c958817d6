package lock

import (
	"slices"
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// standing reports whether a lock decides who leads, whatever it is called: it is taken
// again and again, its answer is kept in a member of the object, and other functions ask
// that before they do something.
func (l *Lock) standing(u *Unit) bool {
	for _, o := range l.All(Acquire) {
		c := o.In.class()
		if c == nil || !o.isRepeated() {
			continue
		}
		flags := o.flags()
		if len(flags) > 0 && slices.ContainsFunc(u.Functions, func(f *Function) bool {
			return f.class() == c && !f.givesBack(l) && f.worksBehind(flags)
		}) {
			return true
		}
	}
	return false
}

// flags are the members that note whether an acquire worked.
func (o *Op) flags() (flags []string) {
	for _, n := range o.Names {
		if strings.HasPrefix(n, "this.") {
			flags = append(flags, n)
		}
	}
	o.In.eachStmt(func(s *ir.Stmt) {
		if s.Does != ir.Let || len(s.To) != 1 || s.Pos < o.Pos() {
			return
		}
		if path := s.To[0].Path(); strings.HasPrefix(path, "this.") && s.X.Is("true") {
			flags = append(flags, path)
		}
	})
	return flags
}

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

var timers = wordSet("setInterval scheduleAtFixedRate scheduleWithFixedDelay every scheduleWithFixedDelay schedule fixedRateTimer loop")

// gives reports whether a function gives a lock back.
func (f *Function) givesBack(l *Lock) bool {
	return slices.ContainsFunc(l.All(Release, GiveUp), func(o *Op) bool { return o.In == f })
}

// worksBehind reports whether a function does something to the world only where a member
// says so.
func (f *Function) worksBehind(flags []string) (found bool) {
	f.eachStmt(func(s *ir.Stmt) {
		if found || s.Does != ir.If || !asksMember(s.X, flags) {
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

func asksMember(e *ir.Expr, flags []string) (found bool) {
	e.Each(func(x *ir.Expr) bool {
		found = found || x.Kind == ir.Member && slices.Contains(flags, x.Path())
		return !found
	})
	return found
}
