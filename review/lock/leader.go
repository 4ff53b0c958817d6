package lock

import (
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
			s.Call.Each(func(e *ir.Expr) bool {
				if started := e.Named("OnStartedLeading"); started != nil {
					u.elected(f, s, started)
				}
				return true
			})
		}
		if f.Name == "takeLeadership" {
			call := &ir.Expr{Kind: ir.Call, Pos: f.Pos, End: f.Pos, X: &ir.Expr{Kind: ir.Name, Name: f.Name, Pos: f.Pos, End: f.Pos}}
			s := &Site{Call: call, In: f, Path: []Step{{Stmt: &ir.Stmt{Pos: f.Pos, End: f.Pos, X: call}}}}
			u.lead(f, s, f.Pos, f.End)
		}
	}
}

func (u *Unit) elected(f *Function, s *Site, started *ir.Expr) {
	if started.Kind == ir.Lambda {
		u.lead(f, s, started.Pos, started.End)
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
		if s.Does != ir.If || !asksLeader(s.X) {
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

func asksLeader(e *ir.Expr) (found bool) {
	e.Each(func(x *ir.Expr) bool {
		if x.Kind == ir.Name || x.Kind == ir.Member {
			name := strings.ToLower(joined.Replace(x.Name))
			found = found || name == "isleader" || name == "leader" && strings.HasSuffix(x.Name, "?") || name == "leading" || name == "hasleadership" || name == "ismaster" || name == "isprimary" || name == "amleader" || name == "elected"
		}
		return !found
	})
	return found
}
