package lock

import (
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/review/ir"
)

// patient reports whether an effect may take as long as it takes: neither the call says in
// what time it must be done, nor does the client that it is made through.
func (e *Effect) patient() bool { return e.timeout() == 0 && !e.In.limited(e.Call) }

// limited reports whether the client of a call, or what the call is made with, was told when
// to give up: as it was made, by a call of its own, by a member that it was given.
func (f *Function) limited(e *ir.Expr) bool {
	roots := map[string]bool{}
	for _, x := range append([]*ir.Expr{e.Receiver()}, e.Args...) {
		for x != nil && x.Kind == ir.Call {
			if saysTimeout(x) {
				return true
			}
			x = x.Receiver()
		}
		if x == nil || x.Kind != ir.Name && x.Kind != ir.Member {
			continue
		}
		if hasty[shortType(f.typeOf(x))] {
			return true
		}
		roots[x.Path()] = true
		if made := f.made(x); made.Expr != nil && made.Expr != x && saysTimeout(made.Expr) {
			return true
		}
	}
	delete(roots, "")
	for _, s := range f.Sites {
		of := s.Call.Receiver()
		if of == nil {
			of = s.Call.Arg(0)
		}
		if roots[of.Path()] && saysTimeout(s.Call) {
			return true
		}
	}
	return f.givenTimeout(roots)
}

// clientLimit is how long the client that a call is made through lets one take, by what it was
// told as it was made; 0 if it was told nothing.
func (f *Function) clientLimit(e *ir.Expr, unit time.Duration) (limit time.Duration) {
	if e.Receiver() == nil {
		return 0
	}
	if f.File.Language == ir.Go {
		unit = time.Nanosecond
	}
	made := f.made(e.Receiver())
	made.Each(func(x *ir.Expr) bool {
		for i, k := range x.Keys {
			if limits[strings.ToLower(k)] {
				limit = max(limit, made.In.duration(x.Args[i], unit))
			}
		}
		if x.Kind == ir.Lambda {
			ir.EachStmt(x.Func.Body, func(s *ir.Stmt) {
				if s.Does == ir.Let && len(s.To) == 1 && s.To[0].Kind == ir.Member && limits[strings.ToLower(s.To[0].Name)] {
					limit = max(limit, made.In.duration(s.X, unit))
				}
			})
		}
		return true
	})
	return limit
}

// limits are what clients call the time in which a call must be done.
var limits = wordSet("timeout read_timeout readtimeout calltimeout sockettimeout responsetimeout")

// hasty are clients that give up by themselves before long.
var hasty = wordSet("OkHttpClient")

// givenTimeout reports whether a member of one of some objects that is called like a limit
// is given something.
func (f *Function) givenTimeout(roots map[string]bool) (found bool) {
	f.eachStmt(func(s *ir.Stmt) {
		for _, to := range s.To {
			found = found || to.Kind == ir.Member && isTimeout(to.Name) && roots[to.X.Path()]
		}
	})
	return found
}

// saysTimeout reports whether a call, or an object in it, has an argument, a key or a method
// in its chain that is called like a limit on the time.
func saysTimeout(e *ir.Expr) (found bool) {
	e.Each(func(x *ir.Expr) bool {
		if x.Kind == ir.Lambda {
			return false
		}
		found = found || (x.Kind == ir.Name || x.Kind == ir.Member) && isTimeout(x.Name)
		for i, k := range x.Keys {
			found = found || isTimeout(k) && !isNothing(x.Args[i])
		}
		return !found
	})
	return found
}

func isTimeout(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "timeout") && !strings.Contains(name, "connect") || name == "signal" || name == "deadline" || strings.Contains(name, "timelimit")
}
