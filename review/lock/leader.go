package lock

import (
	"cmp"
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// leaders are what runs because a process leads: behind a flag that says so, and in
// the functions that an election calls.
func (u *Unit) leaders() {
	for _, l := range u.Locks {
		if !l.Leader {
			continue
		}
		takes := l.All(Acquire, Make, Confirm)
		if len(takes) == 0 {
			continue
		}
		for _, f := range u.Functions {
			u.flagged(l, takes[0], f)
		}
	}
}

// elections are the functions that an election calls once it is won.
func (u *Unit) elections() {
	for _, f := range u.Functions {
		for _, s := range f.Sites {
			u.announced(f, s)
		}
		u.listed(f)
		if f.isElected() {
			call := &ir.Expr{Kind: ir.Call, Pos: f.Pos, End: f.Pos, X: &ir.Expr{Kind: ir.Name, Name: f.Name, Pos: f.Pos, End: f.Pos}}
			s := &Site{Call: call, In: f, Path: []Step{{Stmt: &ir.Stmt{Pos: f.Pos, End: f.Pos, X: call}}}}
			u.lead(f, s, f.Pos, f.End)
		}
	}
}

// won are names for the moment in which a process becomes the leader.
var won = wordSet("elected onelected onstartedleading startedleading onleaderelected leaderelected becameleader becomeleader onbecomeleader onbecameleader onleader ongranted granted takeleadership onleadership gainedleadership acquiredleadership onacquired onleadershipacquired onpromoted promoted")

// isWon reports whether a name is one for the moment of an election.
func isWon(name string) bool { return won[strings.Join(words(name), "")] }

// listens are methods that are told what to call on an event.
var listens = wordSet("on once addListener addEventListener subscribe when")

// announced finds what a call asks to be called once the election is won.
func (u *Unit) announced(f *Function, s *Site) {
	e := s.Call
	if event, ok := e.Arg(0).Literal(); ok && listens[e.Method()] && len(e.Args) == 2 && isWon(event) && f.elects(e.Receiver()) {
		u.elected(f, s, e.Args[1])
	}
	if e.Method() == "LeaderCallbacks" && len(e.Args) > 0 && e.Key(0) == "" {
		u.elected(f, s, e.Args[0])
	}
	for x := range e.Args {
		if k := e.Key(x); isWon(k) && mentionsElection(k) {
			u.elected(f, s, e.Args[x])
		}
	}
}

// listed finds what an object or a struct asks to be called once the election is won:
// LeaderCallbacks{OnStartedLeading: c.lead}.
func (u *Unit) listed(f *Function) {
	f.eachStmt(func(st *ir.Stmt) {
		st.X.Each(func(e *ir.Expr) bool {
			for i, k := range e.Keys {
				if e.Kind == ir.Map && isWon(k) && mentionsElection(k) {
					call := &ir.Expr{Kind: ir.Call, Pos: e.Args[i].Pos, End: e.Args[i].End, X: &ir.Expr{Kind: ir.Name, Name: k, Pos: e.Args[i].Pos, End: e.Args[i].End}}
					u.elected(f, &Site{Call: call, In: f, Path: []Step{{Stmt: st}}}, e.Args[i])
				}
			}
			return true
		})
	})
}

func mentionsElection(name string) bool {
	return hasWord(name, leaderWords) || strings.Contains(strings.ToLower(name), "elect")
}

// elects reports whether a value has to do with an election: by its name, by what made
// it, by its type.
func (f *Function) elects(e *ir.Expr) bool {
	if mentions(e, leaderWords) || hasWord(f.typeOf(e), leaderWords) {
		return true
	}
	v := f.resolve(e)
	return mentions(v.Expr, electionWords)
}

var electionWords = wordSet("election elect campaign leader leadership elector")

// isElected reports whether a function is one that an election calls: by its name, in
// a class that extends one for it.
func (f *Function) isElected() bool {
	if f.Name == "takeLeadership" {
		return true
	}
	if c := f.Func.Class; c != nil && (f.Name == "isLeader" || f.Name == "onGranted" || f.Name == "onElected") {
		for _, b := range c.Bases {
			if hasWord(b, leaderWords) || strings.HasSuffix(b, "Candidate") {
				return true
			}
		}
	}
	return false
}

func (u *Unit) elected(f *Function, s *Site, started *ir.Expr) {
	if started.Kind == ir.Lambda {
		u.lead(f, s, started.Pos, started.End)
	} else if g := u.callee(f, started); g != nil && started.Kind == ir.Call { // every(interval)
		for _, h := range g.handouts() {
			u.lead(cmp.Or(u.byFunc[h.to], g), s, h.to.Pos, h.to.End)
		}
	} else if g := u.callee(f, &ir.Expr{Kind: ir.Call, Pos: started.Pos, X: started}); g != nil {
		u.lead(g, s, g.Pos, g.End)
	}
}

var callbackElection = &Library{Name: "an election", Election: true, Session: true}

func (u *Unit) lead(f *Function, s *Site, from, to ir.Pos) {
	op := &Op{Site: s, Do: Acquire, Family: Library_, Library: callbackElection, Key: "leader"}
	l := &Lock{Key: "leader", Family: Library_, Library: callbackElection, Leader: true, Ops: []*Op{op}}
	op.Lock = l
	u.Locks = append(u.Locks, l)
	u.add(&Section{Lock: l, Acquire: op, In: f, From: from, To: to, Whole: true})
}

// flagged finds what a function does only if a flag or a question says that this
// process leads.
func (u *Unit) flagged(l *Lock, take *Op, f *Function) {
	f.eachStmt(func(s *ir.Stmt) {
		if s.Does != ir.If || !asksLeader(s.X) && !l.asksFlag(f, s.X) {
			return
		}
		for _, site := range f.Sites {
			for _, o := range site.Ops {
				if site.Pos() >= s.X.Pos && site.Pos() < s.X.End && o.Do == Acquire {
					return
				}
			}
		}
		section := &Section{Lock: l, Acquire: take, In: f, From: s.End, To: f.End}
		if !negated(s.X) {
			section.From, section.To, _ = bodyRange(s.Body)
		} else if !exits(s.Body) {
			section.From, section.To, _ = bodyRange(s.Else)
		}
		u.add(section)
	})
}

// asksFlag reports whether a condition asks for the member that keeps the answer of
// the acquire.
func (l *Lock) asksFlag(f *Function, e *ir.Expr) (found bool) {
	for _, o := range l.All(Acquire) {
		if o.In.File == f.File || o.In.class() != nil {
			found = found || f.asksMember(e, o.flags())
		}
	}
	return found
}

// isFlag reports whether a condition asks for nothing but whether a value is true.
func isFlag(cond, x *ir.Expr) bool {
	for cond != nil && cond != x {
		switch {
		case cond.Kind == ir.Unary:
			cond = cond.X
		case cond.Kind == ir.Call && len(cond.Args) == 0 && reads[cond.Method()]:
			cond = cond.Receiver()
		default:
			return false
		}
	}
	return cond == x
}

// reads are methods that return what an atomic value holds.
var reads = wordSet("Load get is_set isSet value")

func asksLeader(e *ir.Expr) (found bool) {
	e.Each(func(x *ir.Expr) bool {
		if x.Kind == ir.Name || x.Kind == ir.Member {
			name := strings.ToLower(joined.Replace(x.Name))
			found = found || name == "isleader" || name == "leader" && strings.HasSuffix(x.Name, "?") || name == "leading" || name == "hasleadership" || name == "ismaster" || name == "isprimary" || name == "amleader" || name == "elected" || e.Kind != ir.Binary && name == "leader" && isFlag(e, x)
		}
		return !found
	})
	return found
}
