package lock

import (
	"slices"
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// watches reports whether a function uses an optimistic transaction of Redis.
func (f *Function) watches() bool {
	watch, multi := false, false
	for _, s := range f.Sites {
		switch strings.ToLower(s.Call.Method()) {
		case "watch":
			watch = true
			for _, a := range s.Call.Args {
				multi = multi || a.Kind == ir.Lambda && f.File.Language == ir.Go
			}
		case "multi", "txpipelined", "txpipeline", "pipelined", "transaction":
			multi = true
		case "call":
			if name, ok := s.Call.Arg(0).Literal(); ok {
				watch, multi = watch || strings.EqualFold(name, "watch"), multi || strings.EqualFold(name, "multi")
			}
		case "do":
			for _, a := range s.Call.Args {
				if name, ok := a.Literal(); ok {
					watch, multi = watch || strings.EqualFold(name, "watch"), multi || strings.EqualFold(name, "multi")
				}
			}
		}
	}
	return watch && multi
}

// Watched reports whether a site is part of an optimistic transaction of Redis: of its
// function, or of one that runs what it is handed in such a transaction.
func (s *Site) Watched() bool {
	if s.In.watches() || s.In.transacted() {
		return true
	}
	return slices.ContainsFunc(s.runners(), func(r call) bool { return r.to.watches() })
}

// runners are the calls of functions of the unit that a site is handed to in a lambda.
func (s *Site) runners() (list []call) {
	for _, st := range s.Path {
		if st.Branch != InLambda || st.Stmt.X == nil {
			continue
		}
		st.Stmt.X.Each(func(x *ir.Expr) bool {
			if x.Kind == ir.Call && slices.Contains(x.Args, st.Lambda) {
				if g := s.In.Unit.callee(s.In, x); g != nil && g != s.In {
					list = append(list, call{site: &Site{Call: x, In: s.In}, to: g})
				}
			}
			return true
		})
	}
	return list
}

// transacted reports whether a function of Python is handed to what watches the keys for it
// while it runs: client.transaction(step, key).
func (f *Function) transacted() bool {
	outer := f.outer()
	if f.File.Language != ir.Python || outer == nil {
		return false
	}
	return slices.ContainsFunc(outer.Sites, func(s *Site) bool {
		return s.Call.Method() == "transaction" && len(s.Call.Args) > 1 && s.Call.Arg(0).Path() == f.Name && f.Name != ""
	})
}
