package lock

import (
	"slices"
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// ComparedBy is the look at the owner that decides about an op, directly before it;
// nil if there is none.
func (o *Op) ComparedBy() *Op {
	for _, c := range o.Lock.All(Read, Confirm) {
		if c.In == o.In && (c.Pos() < o.Pos() || o.behind(c)) && o.controlledBy(c) && c.comparesOwner() {
			return c
		}
	}
	return o.comparedByRunner()
}

// comparedByRunner is the look at the owner in a helper that only runs what it is handed, the op
// in a lambda, if the look says so; nil if there is none.
func (o *Op) comparedByRunner() *Op {
	for _, r := range o.runners() {
		run := r.to.runOf(r, slices.IndexFunc(r.site.Call.Args, func(a *ir.Expr) bool { return o.within(a) }))
		for _, s := range r.to.Sites {
			if s.Call != run {
				continue
			}
			for _, c := range o.Lock.All(Read, Confirm) {
				if c.In == r.to && c.Pos() < s.Pos() && (&Op{Site: s}).controlledBy(c) && c.comparesOwner() {
					return c
				}
			}
		}
	}
	return nil
}

// within reports whether a site stands in a lambda.
func (s *Site) within(lambda *ir.Expr) bool {
	return slices.ContainsFunc(s.Path, func(st Step) bool { return st.Branch == InLambda && st.Lambda == lambda })
}

// behind reports whether a site stands in the branch that a look in its head decides
// about: in some languages the branch is written first.
func (s *Site) behind(c *Op) bool {
	for _, st := range s.Path {
		if st.Stmt == c.Stmt() && st.Stmt.Does == ir.If && st.Branch != InHead {
			return true
		}
	}
	return false
}

// comparesOwner reports whether the value that was read is compared with something:
// a nil means only that somebody has the lock.
func (o *Op) comparesOwner() bool {
	if o.Do == Confirm {
		return true
	}
	found := false
	names := map[string]bool{}
	for _, n := range o.Names {
		names[n] = true
	}
	o.In.eachStmt(func(s *ir.Stmt) {
		if found || s.Does != ir.If && s.Does != ir.Return && s.Does != ir.Let && !(s.Does == ir.Eval && s.X.Kind == ir.Binary) || s.X == nil {
			return
		}
		s.X.Each(func(x *ir.Expr) bool {
			switch {
			case x.Kind == ir.Binary && comparisons[x.Name]:
				found = found || o.onSide(x.X, names) && !constant(x.Args[0]) || o.onSide(x.Args[0], names) && !constant(x.X)
			case x.Kind == ir.Call && (x.Method() == "equals" || x.Method() == "eql?" || x.Method() == "hash_equals" || x.Method() == "compare_digest" || x.Method() == "Equal" || x.Method() == "is"):
				found = found || o.onSide(x, names)
			}
			return !found
		})
	})
	return found
}

var comparisons = wordSet("== != === !== ~= <> is = -eq -ne")

func constant(e *ir.Expr) bool {
	return e.Kind == ir.Const || e.Kind == ir.Number || e.Kind == ir.String && e.Name == "" || e.Kind == ir.Unary && constant(e.X) || e.Path() == "redis.Nil" || e.Path() == "sql.ErrNoRows"
}

// onSide reports whether an expression holds the value of an op.
func (o *Op) onSide(e *ir.Expr, names map[string]bool) (found bool) {
	e.Each(func(x *ir.Expr) bool {
		found = found || x == o.Call || x == o.Call.X || (x.Kind == ir.Name || x.Kind == ir.Member) && names[x.Path()] && x.Path() != "err"
		return !found
	})
	return found
}

// controlledBy reports whether an op runs only if a look before it said so, with
// nothing done to the world in between.
func (o *Op) controlledBy(c *Op) bool {
	if o.after(c) {
		return true
	}
	if !c.decides(o) {
		return false
	}
	for _, s := range o.In.Sites {
		if s.Pos() > c.Pos() && s.Pos() < o.Pos() {
			if e := o.In.effect(s); e != nil && e.Kind != CacheFill {
				return false
			}
		}
	}
	for _, st := range o.Path { // the branch that the test opens
		if st.Stmt.Does == ir.If && (st.Branch == InBody || st.Branch == InElse) && c.testIn(st.Stmt.X) {
			return true
		}
	}
	left := false // or what follows a test that leaves
	o.In.eachStmt(func(s *ir.Stmt) {
		left = left || s.Does == ir.If && s.Pos >= c.Stmt().Pos && s.End <= o.Pos() && c.testIn(s.X) && exits(s.Body)
	})
	return left
}

// after reports whether an op is only done where a look in the same expression agrees:
// get(key) == owner && del(key).
func (o *Op) after(c *Op) (found bool) {
	holds := func(e, call *ir.Expr) (in bool) {
		e.Each(func(x *ir.Expr) bool {
			in = in || x == call
			return !in
		})
		return in
	}
	o.Stmt().X.Each(func(x *ir.Expr) bool {
		found = found || x.Kind == ir.Binary && (x.Name == "&&" || x.Name == "and") && holds(x.X, c.Call) && holds(x.Args[0], o.Call)
		return !found
	})
	return found
}

// testIn reports whether a condition asks for what a look returned.
func (o *Op) testIn(cond *ir.Expr) bool {
	names := map[string]bool{}
	for _, n := range o.Names {
		names[n] = n != "err" && n != "error" && n != "_"
	}
	return o.onSide(cond, names)
}

// Tested reports whether one of the names that a value was given to decides
// anything, is returned, or is handed on, after it was given.
func (s *Site) Tested(name string) bool {
	if name == "" || name == "_" {
		return false
	}
	found := false
	s.In.eachStmt(func(st *ir.Stmt) {
		if found || st.X == nil || st.End < s.Pos() || st == s.Stmt() {
			return
		}
		look := func(x *ir.Expr) bool {
			found = found || (x.Kind == ir.Name || x.Kind == ir.Member) && (x.Path() == name || x.Kind == ir.Name && x.Name == name)
			return !found
		}
		st.X.Each(look)
	})
	if strings.HasPrefix(name, "this.") {
		return true
	}
	return found
}

// Decisive reports whether one of the names that an acquire was given to decides about
// anything but giving the lock back.
func (o *Op) Decisive(name string) bool {
	if name == "" || name == "_" {
		return false
	}
	if strings.HasPrefix(name, "this.") {
		return true
	}
	found := false
	o.In.eachStmt(func(st *ir.Stmt) {
		if found || st.X == nil || st.End < o.Pos() || st == o.Stmt() || o.onlyEnds(st) {
			return
		}
		st.X.Each(func(x *ir.Expr) bool {
			found = found || (x.Kind == ir.Name || x.Kind == ir.Member) && (x.Path() == name || x.Kind == ir.Name && x.Name == name)
			return !found
		})
	})
	return found
}

// onlyEnds reports whether a statement does nothing but give the lock back.
func (o *Op) onlyEnds(st *ir.Stmt) bool {
	blank := st.Does == ir.Let && len(st.To) == 1 && st.To[0].Name == "_"
	if st.Does != ir.If && st.Does != ir.Eval && st.Does != ir.Defer && !blank || len(st.Else) > 0 || exits(st.Body) {
		return false
	}
	ends := false
	for _, s := range o.In.Sites {
		if s.Pos() < st.Pos || s.Pos() >= st.End {
			continue
		}
		for _, other := range s.Ops {
			if !other.Is(Release, GiveUp, Confirm, Read) {
				return false
			}
			ends = ends || other.Lock == o.Lock && other.Is(Release, GiveUp)
		}
		if len(s.Ops) == 0 && !quiet[s.Call.Method()] && !transparent[s.Call.Method()] && !o.In.isLogging(s.Call) {
			return false
		}
	}
	return ends
}

// Failed reports whether a condition holds if the call of an acquire failed, by its error:
// err != nil, or err alone.
func (o *Op) Failed(cond *ir.Expr) bool {
	isError := func(e *ir.Expr) bool {
		if e == nil || e.Kind != ir.Name {
			return false
		}
		if errorNames[e.Name] && o.answers(e.Name) {
			return true
		}
		for _, n := range o.Names {
			if n == e.Name {
				return strings.HasSuffix(strings.ToLower(n), "err")
			}
		}
		return false
	}
	if cond != nil && cond.Kind == ir.Binary {
		return (cond.Name == "!=" || cond.Name == "!==") && cond.Args[0].Is("nil") && isError(cond.X)
	}
	return isError(cond)
}

// GivenAgain reports whether what a branch asks for was given something else since the
// acquire.
func (o *Op) GivenAgain(branch *ir.Stmt) (found bool) {
	o.In.eachStmt(func(s *ir.Stmt) {
		if found || s.Does != ir.Let || s == o.Stmt() || s.Pos <= o.Pos() || s.End > branch.X.Pos {
			return
		}
		for _, to := range s.To {
			branch.X.Each(func(x *ir.Expr) bool {
				found = found || x.Kind == ir.Name && to.Kind == ir.Name && x.Name == to.Name
				return !found
			})
		}
	})
	return found
}

// answers reports whether a name is the error of the function that a call is answered by.
func (o *Op) answers(name string) bool {
	if n := len(o.Call.Args); n > 0 {
		last := o.Call.Args[n-1]
		return last.Kind == ir.Lambda && len(last.Func.Params) > 1 && last.Func.Params[0].Name == name
	}
	return false
}

// ReturnsToo reports whether a function returns the same as a statement in a handler does
// where the lock was taken: the owner value, say.
func (o *Op) ReturnsToo(handled *ir.Stmt) (found bool) {
	path := handled.X.Path()
	if handled.X.Kind != ir.Name && handled.X.Kind != ir.Member || path == "" {
		return false
	}
	o.In.eachStmt(func(s *ir.Stmt) {
		if s == handled || s.Does != ir.Return || s.End <= o.Pos() {
			return
		}
		for _, x := range alternatives(s.X) {
			found = found || x.Kind == handled.X.Kind && x.Path() == path
		}
	})
	return found
}

// alternatives are the values that an expression may have: me if taken else None.
func alternatives(e *ir.Expr) []*ir.Expr {
	switch {
	case e == nil:
		return nil
	case e.Kind == ir.Cond:
		return append(alternatives(e.Args[0]), alternatives(e.Args[1])...)
	case e.Kind == ir.Binary && (e.Name == "&&" || e.Name == "and" || e.Name == "||" || e.Name == "or"):
		return append(alternatives(e.X), alternatives(e.Args[0])...)
	}
	return []*ir.Expr{e}
}

// Swallowed finds the handler that drops what a site throws, nil if none does.
func (s *Site) Swallowed() (t *ir.Stmt, handler *ir.Catch) {
	for i := len(s.Path) - 1; i >= 0; i-- {
		st := s.Path[i]
		if st.Branch == InLambda && !st.Lambda.Func.Short && s.In.File.Language != ir.JavaScript {
			return nil, nil
		}
		if st.Stmt.Does == ir.Try && st.Branch == InBody && len(st.Stmt.Catches) > 0 {
			for k := range st.Stmt.Catches {
				if c := &st.Stmt.Catches[k]; !exits(c.Body) && !leavesLater(c.Body) {
					return st.Stmt, c
				}
			}
			return nil, nil
		}
	}
	return nil, nil
}

// OpenBefore reports whether the names that an acquire in a try is given to were given
// the value of a taken lock before it: a test of them passes if the acquire fails.
func (o *Op) OpenBefore(try *ir.Stmt, cond *ir.Expr) (open bool) {
	for _, n := range o.Names {
		d, ok := o.In.lookup(n, try.Pos)
		if !ok || d.x == nil || d.at >= try.Pos {
			continue
		}
		cond.Each(func(x *ir.Expr) bool {
			open = open || d.x.Is("true") || x.Kind == ir.String && d.x.Kind == ir.String && x.Name == d.x.Name
			return !open
		})
	}
	return open
}

// Handlers are the handlers around a site, the innermost first.
func (s *Site) Handlers() (list []*ir.Catch) {
	for i := len(s.Path) - 1; i >= 0; i-- {
		if st := s.Path[i]; st.Stmt.Does == ir.Try && st.Branch == InBody {
			for k := range st.Stmt.Catches {
				list = append(list, &st.Stmt.Catches[k])
			}
		}
	}
	return list
}

func leavesLater(list []*ir.Stmt) (found bool) {
	ir.EachStmt(list, func(s *ir.Stmt) { found = found || s.Does == ir.Raise })
	return found
}

// Decides reports whether a branch asks nothing but whether an op worked.
func (o *Op) Decides(s *ir.Stmt) bool {
	x := s.X
	for x != nil && x.Kind == ir.Unary {
		x = x.X
	}
	if x == nil || x.Kind == ir.Binary && (x.Name == "&&" || x.Name == "and" || x.Name == "||" || x.Name == "or") {
		return false
	}
	if o.Use == Tested && o.Stmt() == s {
		return true
	}
	names := map[string]bool{}
	for _, n := range o.Names {
		names[n] = n != "err" && n != "error" && n != "_" && n != ""
	}
	return (x.Kind == ir.Name || x.Kind == ir.Member) && names[x.Path()] && s.Pos > o.Pos()
}

// Idle reports whether statements do nothing but take note.
func Idle(f *Function, list []*ir.Stmt) bool {
	for _, s := range list {
		if s.Does != ir.Eval || s.X.Kind != ir.Call || !quiet[s.X.Method()] && !f.isLogging(s.X) {
			return false
		}
	}
	return true
}

// Awaits reports whether a function waits for a promise somewhere: it is an
// asynchronous one.
func (f *Function) Awaits() (found bool) {
	ir.EachExpr(f.Body, func(e *ir.Expr) bool {
		found = found || e.Kind == ir.Await
		return !found
	})
	return found
}

// Work is what a function does after a place: the calls that are no logging.
func (f *Function) Work(from, to ir.Pos) *Site {
	for _, s := range f.Sites {
		if s.Pos() <= from || s.Pos() >= to || len(s.Ops) > 0 {
			continue
		}
		if name := s.Call.Method(); !quiet[name] && !f.isLogging(s.Call) {
			return s
		}
	}
	return nil
}

var quiet = wordSet("wait true : len str string int append time Error Errorf sleep Sleep setTimeout New Error print println echo printf puts isHeldByCurrentThread usleep format Sprintf")

func (f *Function) isLogging(e *ir.Expr) bool {
	root := strings.ToLower(firstWord(strings.TrimPrefix(e.X.Path(), "this.")))
	return strings.Contains(root, "log") || root == "console" || root == "sentry" || root == "metrics" || root == "rails" || root == "statsd" || strings.Contains(root, "metric")
}
