package lock

import "github.com/ringfence-go/ringfence/review/ir"

// FailureIgnored reports whether an error that was given to a name is looked at, and
// the work goes on all the same.
func (s *Site) FailureIgnored(name string) (at *ir.Stmt) {
	var handled bool
	s.In.eachStmt(func(st *ir.Stmt) {
		if handled || at != nil || st.Does != ir.If || st.X == nil || st.X.Pos < s.Pos() {
			return
		}
		if s.replaced(name, st.X.Pos) {
			return
		}
		if st.X.Kind == ir.Binary && st.X.Name == "!=" && st.X.X.Path() == name && st.X.Args[0].Is("nil") {
			if exits(st.Body) || assigns(st.Body) || len(st.Else) > 0 && s.In.Work(st.End, s.In.End) == nil {
				handled = true
			} else {
				at = st
			}
		}
	})
	if !handled && at == nil {
		at = s.onlyRefused(name)
	}
	return at
}

// assigns reports whether statements remember something: a flag, an error for later.
func assigns(list []*ir.Stmt) (found bool) {
	ir.EachStmt(list, func(s *ir.Stmt) {
		found = found || s.Does == ir.Let || s.Does == ir.Return || s.Does == ir.Raise || s.Does == ir.Leave
	})
	return found
}

// replaced reports whether a name was given something else between a site and a place.
func (s *Site) replaced(name string, at ir.Pos) (found bool) {
	s.In.eachStmt(func(st *ir.Stmt) {
		if found || st.Does != ir.Let || st == s.Stmt() || st.Pos <= s.Pos() || st.End > at {
			return
		}
		for _, to := range st.To {
			found = found || to.Kind == ir.Name && to.Name == name
		}
	})
	return found
}

// onlyRefused finds the branch that leaves by one error, where every other error goes on to
// the work: errors.Is(err, memcache.ErrNotStored) { return nil }; nil if the error decides
// about anything else.
func (s *Site) onlyRefused(name string) (at *ir.Stmt) {
	other := false
	s.In.eachStmt(func(st *ir.Stmt) {
		if other || st.X == nil || st.End <= s.Pos() || st == s.Stmt() || s.replaced(name, st.X.Pos) {
			return
		}
		asks := false
		st.X.Each(func(x *ir.Expr) bool {
			asks = asks || x.Kind == ir.Name && x.Name == name
			return !asks && x.Kind != ir.Lambda
		})
		switch {
		case !asks, st.Does == ir.Eval && s.In.isLogging(st.X):
		case st.Does == ir.If && isWell(st.X, name) && len(st.Body) == 0: // case err == nil:
		case st.Does == ir.If && isOneError(st.X, name) && exits(st.Body) && at == nil:
			at = st
			other = leavesElse(st.Else) || assigns(st.Else)
		default:
			other = true
		}
	})
	if other {
		return nil
	}
	return at
}

// leavesElse reports whether the last of a chain of branches leaves.
func leavesElse(list []*ir.Stmt) bool {
	if len(list) == 1 && list[0].Does == ir.If {
		return exits(list[0].Body) || leavesElse(list[0].Else)
	}
	return exits(list)
}

// isWell reports whether a condition holds if there was no error.
func isWell(cond *ir.Expr, name string) bool {
	return cond.Kind == ir.Binary && cond.Name == "==" && cond.X.Path() == name && cond.Args[0].Is("nil")
}

// isOneError reports whether a condition asks for one error alone.
func isOneError(cond *ir.Expr, name string) bool {
	switch cond.Kind {
	case ir.Call:
		return cond.X.Path() == "errors.Is" && len(cond.Args) == 2 && cond.Args[0].Path() == name
	case ir.Binary:
		return cond.Name == "==" && cond.X.Path() == name && !cond.Args[0].Is("nil")
	}
	return false
}
