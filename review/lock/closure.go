package lock

import (
	"slices"

	"github.com/ringfence-go/ringfence/review/ir"
)

// handout is a function that another one returns, and which of its results it is.
type handout struct {
	to    *ir.Func
	index int
}

// handouts are the functions that a function returns: what stands in them is done by
// whoever calls them.
func (f *Function) handouts() []handout {
	if f.lookedFor {
		return f.out
	}
	f.lookedFor = true
	ir.EachStmt(f.Body, func(s *ir.Stmt) {
		if s.Does != ir.Return || s.X == nil {
			return
		}
		list := []*ir.Expr{s.X}
		if s.X.Kind == ir.List && s.X.X == nil {
			list = s.X.Args
		}
		for i, x := range list {
			if to := f.functionOf(x); to != nil {
				f.out = append(f.out, handout{to, i})
			}
		}
	})
	return f.out
}

// functionOf follows a value to the function that it is, in a conversion perhaps.
func (f *Function) functionOf(x *ir.Expr) *ir.Func {
	v := f.resolve(x)
	if v.Kind == ir.Call && len(v.Args) == 1 {
		v = v.In.resolve(v.Args[0])
	}
	switch v.Kind {
	case ir.Lambda:
		return v.Func
	case ir.Name, ir.Member:
		if g := f.Unit.referred(v.In, v.Expr); g != nil {
			return g.Func
		}
	}
	return nil
}

// handsOut reports whether a site stands in a lambda that its function returns.
func (f *Function) handsOut(s *Site) bool {
	for _, st := range s.Path {
		if st.Branch == InLambda && slices.ContainsFunc(f.handouts(), func(h handout) bool { return h.to == st.Lambda.Func }) {
			return true
		}
	}
	return false
}

// opsOf are the ops of a function that another one hands out: a lambda in it, or a
// function with a name.
func (f *Function) opsOf(h handout) (list []*Op) {
	if g := f.Unit.byFunc[h.to]; g != nil {
		for _, s := range g.Sites {
			list = append(list, s.Ops...)
		}
		return list
	}
	for _, s := range f.Sites {
		if slices.ContainsFunc(s.Path, func(st Step) bool { return st.Branch == InLambda && st.Lambda.Func == h.to }) {
			list = append(list, s.Ops...)
		}
	}
	return list
}

// handed is what an op means to who is handed the function that it stands in; nil if it means
// nothing.
func handed(o *Op, to *ir.Func) *Op {
	looks := o.Is(Read, Exists) && o.comparesOwner()
	if !o.Is(Release, GiveUp, Renew, Confirm) && !looks {
		return nil
	}
	out := o.behindHelper()
	if looks {
		out.Do = Confirm
	}
	switch {
	case o.File().Language == ir.Go:
		out.Gives = resultsTell(to)
	case o.Use == Returned:
		out.Gives = o.Gives
	}
	return out
}

// madeBy is the call that made the function which a call calls, and which of its
// results that is; nil if it is none.
func (f *Function) madeBy(e *ir.Expr) (made Value, index int) {
	if e.Kind != ir.Call || e.X == nil {
		return Value{}, 0
	}
	v := Value{e.X, f}
	if e.X.Kind == ir.Name {
		d, ok := f.lookup(e.X.Name, e.Pos)
		if !ok || d.x == nil {
			return Value{}, 0
		}
		v, index = Value{d.x, d.in}, max(d.index, 0)
	}
	for v.Kind == ir.Await {
		v.Expr = v.X
	}
	if v.Kind != ir.Call {
		return Value{}, 0
	}
	return v, index
}

// carryResult adds what a function does that another one of the unit has returned.
func (s *Site) carryResult() {
	if g, to := s.In.lentFunction(s.Call); to != nil {
		s.carryHanded(g, handout{to: to})
		return
	}
	made, index := s.In.madeBy(s.Call)
	if made.Expr == nil {
		return
	}
	g := s.In.Unit.callee(made.In, made.Expr)
	if g == nil {
		return
	}
	for _, h := range g.handouts() {
		if h.index == index {
			s.carryHanded(g, h)
		}
	}
}

// carryHanded adds what a function does that another one has handed out.
func (s *Site) carryHanded(g *Function, h handout) {
	for _, o := range g.opsOf(h) {
		if out := handed(o, h.to); out != nil && len(s.Ops) < 20 && !s.has(o.Root()) {
			out.Site = s
			s.Ops = append(s.Ops, out)
		}
	}
}

// resultsTell says how a function of Go tells that it did not get what it wanted, by
// what it returns.
func resultsTell(f *ir.Func) (gives Gives) {
	for _, r := range f.Results {
		switch r.Type {
		case "error":
			gives |= errors
		case "bool":
			gives |= value
		}
	}
	if gives == 0 && len(f.Results) > 0 {
		gives = value
	}
	return gives
}
