package lock

import "github.com/ringfence-go/ringfence/review/ir"

// bind gives the keys that helpers are handed the names that they have where the
// helpers are called, if all callers hand in the same.
func (u *Unit) bind() {
	callers := map[*Function][]call{}
	for _, f := range u.Functions {
		for _, c := range f.calls {
			callers[c.to] = append(callers[c.to], c)
		}
	}
	for range 3 { // a helper may hand its key on
		for _, g := range u.Functions {
			for _, s := range g.Sites {
				for _, o := range s.Ops {
					if key := g.handed(o, callers[g]); key != "" {
						o.Key = key
					}
				}
			}
		}
	}
}

// handed is the key that all callers of a function hand in for an op, "" if the key
// is no parameter, or they differ.
func (g *Function) handed(o *Op, callers []call) (key string) {
	if o.KeyAt == nil || o.KeyAt.Kind != ir.Name || len(callers) == 0 {
		return ""
	}
	i := g.paramIndex(o.KeyAt.Name)
	if i < 0 || o.Key != "{"+trimSigil(o.KeyAt.Name)+"}" {
		return ""
	}
	for _, c := range callers {
		a := c.argument(i, o.KeyAt.Name)
		if a == nil {
			return ""
		}
		k := c.site.In.Key(a)
		if key != "" && k != key {
			return ""
		}
		key = k
	}
	return key
}

func trimSigil(name string) string {
	if name != "" && name[0] == '$' {
		return name[1:]
	}
	return name
}

// paramIndex is the place of a parameter, -1 if the name is none, or was given
// something else since.
func (g *Function) paramIndex(name string) int {
	if g.defs[name] != nil {
		return -1
	}
	for i, p := range g.Params {
		if p.Name == name {
			return i
		}
	}
	return -1
}

// argument is what a call hands in for a parameter; nil if it does not, or not in
// sight.
func (c call) argument(i int, name string) *ir.Expr {
	if c.args != nil {
		if i < len(c.args) {
			return c.args[i]
		}
		return nil
	}
	if a := c.site.Call.Named(name); a != nil {
		return a
	}
	if c.to.takesSelf() {
		i--
	}
	if i < 0 {
		return nil
	}
	return c.site.Call.Arg(i)
}

// takesSelf reports whether the first parameter is the object of the method.
func (g *Function) takesSelf() bool {
	return g.File.Language == ir.Python && g.class() != nil && len(g.Params) > 0 && (g.Params[0].Name == "self" || g.Params[0].Name == "cls" || g.Params[0].Name == "this")
}

// starters run a function that is their argument, some time or beside this one.
var starters = wordSet("Thread Process Timer submit start_new_thread run_in_executor call_later to_thread spawn scheduleAtFixedRate scheduleWithFixedDelay schedule execute runAsync setInterval setTimeout setImmediate")

// started is the function that a call starts with which arguments: Thread(target=f,
// args=(x,)), pool.submit(f, x).
func (u *Unit) started(f *Function, s *Site) (call, bool) {
	e := s.Call
	if !starters[e.Method()] || f.File.Language != ir.Python && f.File.Language != ir.Java && f.File.Language != ir.JavaScript {
		return call{}, false
	}
	args := e.Args
	target := e.Named("target")
	if target == nil {
		target = e.Named("function")
	}
	for i := 0; target == nil && i < len(args); i++ {
		if a := args[i]; e.Key(i) == "" && (a.Kind == ir.Name || a.Kind == ir.Member) && u.referred(f, a) != nil {
			target, args = a, args[i+1:]
		}
	}
	if target == nil {
		return call{}, false
	}
	g := u.referred(f, target)
	if g == nil {
		return call{}, false
	}
	if list := e.Named("args"); list != nil {
		args = list.Args
	}
	return call{site: s, to: g, args: append([]*ir.Expr{}, args...), beside: true}, true
}

// referred is the function that a name without a call stands for.
func (u *Unit) referred(f *Function, e *ir.Expr) *Function {
	return u.callee(f, &ir.Expr{Kind: ir.Call, Pos: e.Pos, End: e.End, X: e})
}
