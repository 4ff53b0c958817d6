package lock

import "github.com/ringfence-go/ringfence/review/ir"

// A Section is what runs while a lock is held, as far as it stands in one function.
type Section struct {
	Lock     *Lock
	Acquire  *Op // the call that took it, of a helper perhaps
	In       *Function
	From, To ir.Pos
	Whole    bool // it is a block of its own, which ends with the lock

	reached []*Effect
}

// findSections finds what runs under each lock.
func (u *Unit) findSections() {
	for _, f := range u.Functions {
		for _, s := range f.Sites {
			for _, o := range s.Ops {
				if o.Do == Acquire && o.Lock != nil {
					u.sectionOf(o)
				} else if o.Do == Make && o.Lock != nil {
					u.withObject(o)
				}
			}
		}
	}
	for _, l := range u.Locks {
		for _, pair := range l.TwoStep {
			if pair.Write.Do != Put {
				continue
			}
			u.sectionOf(pair.Write)
			for _, c := range l.Calls {
				if c.Root() == pair.Write {
					u.sectionOf(c)
				}
			}
		}
	}
	u.held()
	u.withLocks()
	u.farCallbacks()
	u.callers()
	u.contexts()
	u.elections()
	u.annotated()
	for _, l := range u.Locks {
		l.Leader = l.Leader || l.Family != Advisory && l.standing(u)
	}
	u.leaders()
	for _, s := range u.Sections {
		s.reached = u.within(s)
	}
}

func (u *Unit) add(s *Section) {
	for _, other := range u.Sections {
		if other.In == s.In && other.Lock == s.Lock && other.From == s.From {
			return
		}
	}
	if s.To > s.From && len(u.Sections) < 2000 {
		u.Sections = append(u.Sections, s)
	}
}

// sectionOf is what follows an acquire in its function.
func (u *Unit) sectionOf(o *Op) {
	if o.In.File.Language == ir.SQL && o.In.Name == "" {
		return // the statements of a file are not one piece of work
	}
	s := &Section{Lock: o.Lock, Acquire: o, In: o.In, From: o.Stmt().End, To: o.In.End}
	for _, a := range o.Call.Args {
		if a.Kind == ir.Lambda {
			u.add(&Section{Lock: o.Lock, Acquire: o, In: o.In, From: a.Pos, To: a.End, Whole: true})
			return
		}
	}
	if o.Library != nil {
		for _, a := range o.Call.Args {
			if g := u.referred(o.In, a); g != nil && (a.Kind == ir.Name || a.Kind == ir.Member) { // election.run(self.lead)
				u.add(&Section{Lock: o.Lock, Acquire: o, In: g, From: g.Pos, To: g.End, Whole: true})
				return
			}
		}
	}
	head := o.Stmt()
	switch {
	case goesOn(head.X, o.Call):
		s.From = o.Call.End
	case head.Does == ir.With:
		s.From, s.To, s.Whole = bodyRange(head.Body)
	case head.Does == ir.If && !negated(head.X) && len(head.Body) > 0 && !exits(head.Body):
		s.From, s.To, _ = bodyRange(head.Body)
	case head.Does == ir.If && len(head.Else) > 0 && !exits(head.Body):
		s.From, s.To, _ = bodyRange(head.Else)
	case head.Does == ir.Try || head.Does == ir.Group:
		s.From = o.Call.End
	}
	s.To = min(s.To, s.release())
	u.add(s)
}

// goesOn reports whether the statement of a call goes on with a function that is handed
// what it returned: take().then((ok) => ...).
func goesOn(e, call *ir.Expr) (found bool) {
	e.Each(func(x *ir.Expr) bool {
		if continuation(x) != nil {
			x.Receiver().Each(func(y *ir.Expr) bool {
				found = found || y == call
				return !found
			})
		}
		return !found
	})
	return found
}

func bodyRange(list []*ir.Stmt) (from, to ir.Pos, whole bool) {
	if len(list) == 0 {
		return 0, 0, true
	}
	return list[0].Pos, list[len(list)-1].End, true
}

func negated(e *ir.Expr) bool {
	if e == nil {
		return false
	}
	switch e.Kind {
	case ir.Unary:
		return (e.Name == "!" || e.Name == "not") != negated(e.X)
	case ir.Binary:
		switch e.Name {
		case "!=", "!==", "~=", "<>":
			return !e.Args[0].Is("nil") && !(e.Args[0].Kind == ir.Number && e.Args[0].Name == "0") && !e.Args[0].Is("false")
		case "==", "===", "is":
			return e.Args[0].Is("nil") || e.Args[0].Is("false") || e.Args[0].Kind == ir.Number && e.Args[0].Name == "0"
		case "||", "or":
			return negated(e.X) || negated(e.Args[0])
		}
	}
	return false
}

// release is where the section is left by giving the lock back, on the way that
// does not leave the function first.
func (s *Section) release() ir.Pos {
	end := ir.Pos(0)
	for _, site := range s.In.Sites {
		for _, o := range site.Ops {
			if o.Lock == s.Lock && o.Is(Release, GiveUp) && o.Pos() > s.From && !o.beforeExit() && !o.deferred() {
				end = max(end, o.Pos())
			}
		}
	}
	if end == 0 {
		return s.To
	}
	return end
}

func (o *Op) deferred() bool {
	for _, st := range o.Path {
		if st.Branch == InDeferred {
			return true
		}
	}
	return false
}

// beforeExit reports whether a site stands in a branch that leaves the function.
func (s *Site) beforeExit() bool {
	for _, st := range s.Path {
		switch {
		case st.Branch == InBody && st.Stmt.Does == ir.If && exits(st.Stmt.Body), st.Branch == InElse && exits(st.Stmt.Else):
			return true
		case st.Branch == InCatch && exits(st.Stmt.Catches[st.Index].Body):
			return true
		}
	}
	return false
}

// exits reports whether statements end by leaving where they stand.
func exits(list []*ir.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1]; s.Does {
	case ir.Return, ir.Raise, ir.Leave:
		return true
	case ir.If:
		return exits(s.Body) && exits(s.Else)
	case ir.Group, ir.Try:
		return exits(s.Body)
	case ir.Eval:
		return exitCalls[s.X.Method()] || exitCalls[s.X.Path()]
	}
	return false
}

var exitCalls = wordSet("process.exit sys.exit exit die abort os.Exit System.exit reject fail done cb callback halt")

// held are the methods of an object that takes its lock as it is made.
func (u *Unit) held() {
	for _, s := range u.Sections[:len(u.Sections):len(u.Sections)] {
		c := s.In.Func.Class
		if c == nil || !constructors[s.In.Name] && s.In.Name != c.Name {
			continue
		}
		for _, f := range u.Functions {
			if f.Func.Class == c && f != s.In && !leaving[f.Name] {
				u.add(&Section{Lock: s.Lock, Acquire: s.Acquire, In: f, From: f.Pos, To: f.End})
			}
		}
	}
}

// callers are the lambdas and blocks that a function runs while it holds a lock.
func (u *Unit) callers() {
	for _, s := range u.Sections[:len(u.Sections):len(u.Sections)] {
		run := s.Callback()
		if run == nil {
			continue
		}
		to := s.In.handedTo(firstWord(run.Call.X.Path()))
		for _, f := range u.Functions {
			for _, c := range f.calls {
				if c.to == to {
					u.callback(s, f, c.site)
				}
			}
		}
	}
}

// handedTo is the function whose parameter a name is: this one, or one further out, which
// gives back a function that runs what it was handed.
func (f *Function) handedTo(name string) *Function {
	for g := f; g != nil; g = g.outer() {
		for _, p := range g.Params {
			if p.Name == name {
				return g
			}
		}
	}
	return f
}

// Callback is the call of a parameter, or of a block, in the section.
func (s *Section) Callback() *Site {
	for _, site := range s.In.Sites {
		if !s.Holds(site.Pos()) {
			continue
		}
		path := site.Call.X.Path()
		if path == "yield" || site.runsArguments() {
			return site
		}
		if p, ok := s.In.param(firstWord(path)); ok && site.Call.X.Kind == ir.Name && p.Name != "" {
			return site
		}
		if m := site.Call.Method(); site.Call.X.Kind == ir.Member && callsBack[m] {
			if _, ok := s.In.param(firstWord(path)); ok {
				return site
			}
		}
	}
	return nil
}

// runsArguments reports whether a site of a shell runs what its function was called with as
// a command: "$@".
func (s *Site) runsArguments() bool {
	x := s.Call.X
	return s.In.File.Language == ir.Shell && s.In.Name != "" && x.Kind == ir.Name && (x.Name == "@" || x.Name == "*")
}

var callsBack = wordSet("call run get accept apply execute call_user_func invoke")

func firstWord(path string) string {
	for i := range path {
		if path[i] == '.' {
			return path[:i]
		}
	}
	return path
}

func (u *Unit) callback(s *Section, f *Function, site *Site) {
	if head := site.Stmt(); head.Does == ir.With {
		from, to, _ := bodyRange(head.Body)
		u.add(&Section{Lock: s.Lock, Acquire: s.Acquire, In: f, From: from, To: to, Whole: true})
		return
	}
	for _, a := range site.Call.Args {
		if a.Kind == ir.Lambda {
			u.add(&Section{Lock: s.Lock, Acquire: s.Acquire, In: f, From: a.Pos, To: a.End, Whole: true})
			continue
		}
		if name, ok := a.Literal(); ok && f.File.Language == ir.Shell && len(u.byName[name]) == 1 {
			a = &ir.Expr{Kind: ir.Name, Name: name, Pos: a.Pos, End: a.End}
		}
		if a.Kind == ir.Name || a.Kind == ir.Member {
			if g := u.callee(f, &ir.Expr{Kind: ir.Call, Pos: a.Pos, X: a}); g != nil {
				u.add(&Section{Lock: s.Lock, Acquire: s.Acquire, In: g, From: g.Pos, To: g.End, Whole: true})
			}
		}
	}
}

// contexts are blocks under an object of a class that takes a lock as it is entered,
// and functions that are marked by a decorator that takes one.
func (u *Unit) contexts() {
	for _, s := range u.Sections[:len(u.Sections):len(u.Sections)] {
		switch {
		case s.In.Name == "__enter__" || s.In.Name == "__aenter__":
			u.entered(s)
		case s.In.Outer != nil && s.In.Outer.Name != "" && s.In.File.Language == ir.Python:
			u.decorated(s)
		}
	}
}

// withLocks are the blocks under a lock that was made before.
func (u *Unit) withLocks() {
	for _, f := range u.Functions {
		libraries := u.librariesOf(f.File)
		if len(libraries) == 0 {
			continue
		}
		f.eachStmt(func(st *ir.Stmt) {
			if st.Does != ir.With || st.X == nil || st.X.Kind != ir.Name && st.X.Kind != ir.Member && st.X.Kind != ir.Call {
				return
			}
			for _, l := range libraries {
				if of := f.lockObject(l, st.X); of.Expr != nil && of.Expr != st.X {
					u.under(l, of.Expr, f, st)
				}
			}
		})
	}
}

func (u *Unit) under(l *Library, of *ir.Expr, f *Function, st *ir.Stmt) {
	for _, k := range u.Locks {
		if k.Library != l || len(k.Ops) == 0 || k.Ops[0].Of != of {
			continue
		}
		taken := *k.Ops[0]
		taken.Do = Acquire
		taken.Site = &Site{Call: &ir.Expr{Kind: ir.Call, Pos: st.X.Pos, End: st.X.End, X: st.X}, In: f, Path: []Step{{Stmt: st}}, Use: Tested}
		from, to, _ := bodyRange(st.Body)
		u.add(&Section{Lock: k, Acquire: &taken, In: f, From: from, To: to, Whole: true})
	}
}

func (u *Unit) entered(s *Section) {
	for _, f := range u.Functions {
		f.eachStmt(func(st *ir.Stmt) {
			if st.Does == ir.With && s.In.class() != nil && shortType(f.typeOf(st.X)) == s.In.class().Name {
				from, to, _ := bodyRange(st.Body)
				u.add(&Section{Lock: s.Lock, Acquire: s.Acquire, In: f, From: from, To: to, Whole: true})
			}
		})
	}
}

func (u *Unit) decorated(s *Section) {
	for _, f := range u.Functions {
		for _, m := range f.Marks {
			for fn := s.In.Outer; fn != nil; fn = fn.Outer {
				if fn.Name != "" && (m.Method() == fn.Name || m.Name == fn.Name) {
					u.add(&Section{Lock: s.Lock, Acquire: s.Acquire, In: f, From: f.Pos, To: f.End, Whole: true})
				}
			}
		}
	}
}

// withObject is the block under a library's lock: with client.lock("x"):.
func (u *Unit) withObject(o *Op) {
	head := o.Stmt()
	if head.Does != ir.With {
		return
	}
	taken := *o
	taken.Do = Acquire
	from, to, _ := bodyRange(head.Body)
	u.add(&Section{Lock: o.Lock, Acquire: &taken, In: o.In, From: from, To: to, Whole: true})
}

// Holds reports whether a place is in the section.
func (s *Section) Holds(p ir.Pos) bool { return p >= s.From && p < s.To }

// Effects are what the section does to the world, through helpers too.
func (s *Section) Effects() []*Effect { return s.reached }

func (u *Unit) within(s *Section) (list []*Effect) {
	type done struct {
		call *ir.Expr
		kind Kind
	}
	seen := map[done]bool{}
	add := func(effects ...*Effect) {
		for _, e := range effects {
			if d := (done{e.Call, e.Kind}); !seen[d] {
				seen[d] = true
				list = append(list, e)
			}
		}
	}
	for _, site := range s.In.Sites {
		if !s.Holds(site.Pos()) || s.notTaken(site) {
			continue
		}
		add(u.effectsAt(s.In, site)...)
	}
	for _, c := range s.In.calls {
		if s.Holds(c.site.Pos()) && !s.notTaken(c.site) {
			add(u.effectsOf(c.to, 3)...)
		}
	}
	return list
}

// notTaken reports whether a site stands in the branch where the lock was not taken:
// the one that the test of the acquire leaves the function by.
func (s *Section) notTaken(site *Site) bool {
	for _, st := range site.Path {
		if st.Stmt == s.Acquire.Stmt() && st.Branch == InBody && st.Stmt.Does == ir.If && negated(st.Stmt.X) {
			return true
		}
	}
	return false
}
