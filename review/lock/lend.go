package lock

import "github.com/ringfence-go/ringfence/review/ir"

// lend notes what the parameters of blocks and lambdas are given by the function of the
// unit that runs them: with_lock(id) { |key| ... }, whose helper says yield key.
func (u *Unit) lend() {
	for _, f := range u.Functions {
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
