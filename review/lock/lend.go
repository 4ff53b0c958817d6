package lock

import "github.com/ringfence-go/ringfence/review/ir"

// lend notes what the parameters of blocks and lambdas are given by the function of the
// unit that runs them: with_lock(id) { |key| ... }, whose helper says yield key.
func (u *Unit) lend() {
	for _, f := range u.Functions {
		if f.File.Language == ir.Python {
			f.eachStmt(f.entered)
		}
		for _, s := range f.Sites {
			for i, a := range s.Call.Args {
				if a.Kind != ir.Lambda || len(a.Func.Params) == 0 {
					continue
				}
				if g := u.callee(f, s.Call); g != nil && g != f {
					f.lent(a, g, g.runOf(call{site: s, to: g}, i))
				}
			}
		}
	}
}

// lentFunction is the function that a call runs which was handed in by what runs the block
// around it, and where that stands: mine.call of with_lock(id) { |mine| ... }.
func (f *Function) lentFunction(e *ir.Expr) (*Function, *ir.Func) {
	of := e.X
	if e.X != nil && e.X.Kind == ir.Member && (callsBack[e.Method()] || e.Method() == "getAsBoolean") {
		of = e.X.X
	}
	if of == nil || of.Kind != ir.Name {
		return nil, nil
	}
	for fn := f; fn != nil; fn = fn.outer() {
		if d, ok := lastBefore(fn.defs[of.Name], of.Pos); ok {
			if d.x == nil || d.in == nil || d.in == f || d.index >= 0 {
				return nil, nil
			}
			return d.in, d.in.functionOf(d.x)
		}
	}
	return nil, nil
}

// entered gives what a block is bound to what its generator yields: with held(id) as mine.
func (f *Function) entered(st *ir.Stmt) {
	if st.Does != ir.With || len(st.To) != 1 || st.To[0].Kind != ir.Name || st.X == nil || st.X.Kind != ir.Call {
		return
	}
	g := f.Unit.callee(f, st.X)
	if g == nil || g == f {
		return
	}
	var run *ir.Expr
	for _, s := range g.Sites {
		if s.Call.X.Path() == "yield" {
			run = s.Call
		}
	}
	if run == nil || run.Arg(0) == nil {
		return
	}
	f.defs[st.To[0].Name] = append(f.defs[st.To[0].Name], def{at: st.Pos, x: run.Arg(0), index: -1, in: g})
}

// runOf is the call in a function that runs the argument which a caller hands in at a place,
// nil if there is none, or several.
func (g *Function) runOf(c call, place int) (run *ir.Expr) {
	for _, s := range g.Sites {
		path := s.Call.X.Path()
		if path != "yield" && (path == "" || s.Call.X.Kind != ir.Name) {
			continue
		}
		if i := g.paramIndex(path); path != "yield" && (i < 0 || c.argument(i, path) != c.site.Call.Args[place]) {
			continue
		}
		if run != nil {
			return nil
		}
		run = s.Call
	}
	return run
}

// lent gives the parameters of a lambda what the call hands in that runs it.
func (f *Function) lent(lambda *ir.Expr, g *Function, run *ir.Expr) {
	if run == nil {
		return
	}
	for i, p := range lambda.Func.Params {
		if a := run.Arg(i); a != nil && p.Name != "" {
			f.defs[p.Name] = append(f.defs[p.Name], def{at: lambda.Pos, x: a, index: -1, in: g})
		}
	}
}
