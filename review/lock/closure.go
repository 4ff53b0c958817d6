package lock

import "github.com/ringfence-go/ringfence/review/ir"

// handout is a lambda that a function returns, and which of its results it is.
type handout struct {
	lambda *ir.Expr
	index  int
}

// handouts are the lambdas that a function returns: what stands in them is done by
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
			if lambda := f.lambdaOf(x); lambda != nil {
				f.out = append(f.out, handout{lambda, i})
			}
		}
	})
	return f.out
}

// lambdaOf follows a value to the lambda that it is, in a conversion perhaps.
func (f *Function) lambdaOf(x *ir.Expr) *ir.Expr {
	v := f.resolve(x)
	if v.Kind == ir.Call && len(v.Args) == 1 {
		v = v.In.resolve(v.Args[0])
	}
	if v.Kind == ir.Lambda && v.In == f {
		return v.Expr
	}
	return nil
}

// handsOut reports whether a site stands in a lambda that its function returns.
func (f *Function) handsOut(s *Site) (handout, bool) {
	for _, st := range s.Path {
		if st.Branch != InLambda {
			continue
		}
		for _, h := range f.handouts() {
			if h.lambda == st.Lambda {
				return h, true
			}
		}
	}
	return handout{}, false
}

// handed is what an op in a lambda means to who calls the lambda; nil if it means
// nothing.
func handed(o *Op, lambda *ir.Func) *Op {
	if !o.Is(Release, GiveUp, Renew, Confirm) {
		return nil
	}
	out := o.behindHelper()
	switch {
	case o.File().Language == ir.Go:
		out.Gives = resultsTell(lambda)
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
	made, index := s.In.madeBy(s.Call)
	if made.Expr == nil {
		return
	}
	g := s.In.Unit.callee(made.In, made.Expr)
	if g == nil {
		return
	}
	for _, inner := range g.Sites {
		h, ok := g.handsOut(inner)
		if !ok || h.index != index {
			continue
		}
		for _, o := range inner.Ops {
			if out := handed(o, h.lambda.Func); out != nil && len(s.Ops) < 20 && !s.has(o.Root()) {
				out.Site = s
				s.Ops = append(s.Ops, out)
			}
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
