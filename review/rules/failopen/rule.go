// Package failopen finds work that is done although the lock was not taken.
package failopen

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lock"
	"github.com/ringfence-go/ringfence/review/rule"
)

//go:embed doc.md
var doc string

// Rule is the rule.
var Rule = &rule.Rule{
	Name: "fail-open", Number: 9, Doc: doc, Check: check,
	Summary: "the error or the result of an acquire is ignored, and the work is done anyway",
}

const fix = "decide here what happens when the lock is not taken: return, or raise; if the work may run without it, say so in the code"

func check(p *rule.Pass) {
	for _, l := range p.Locks {
		for _, o := range l.All(lock.Acquire) {
			if o.In.File.Language != ir.SQL {
				acquire(p, l, o)
			}
		}
	}
}

func acquire(p *rule.Pass, l *lock.Lock, o *lock.Op) {
	severity := rule.Worst(p.Unit, l)
	for _, c := range o.Handlers() {
		if saysYes(c.Body, o) {
			p.ReportAt(o.In.File, c.Pos, rule.Certain, severity, fix, "when the store of %s can't be reached, this says that the lock was taken", l.Name())
			return
		}
	}
	if pos, ok := rescued(o); ok {
		p.ReportAt(o.In.File, pos, rule.Certain, severity, fix, "when the store of %s can't be reached, this says that the lock was taken", l.Name())
		return
	}
	if unasked(o) {
		p.Report(o.Site, rule.Certain, severity, fix, "the error of the acquire of %s is not looked at, and the work is done without it", l.Name())
		return
	}
	if at := granted(o); at != nil {
		p.ReportAt(o.In.File, at.Pos, rule.Certain, severity, fix, "when the store of %s can't be reached, this says that the lock was taken", l.Name())
		return
	}
	if t, c := o.Swallowed(); t != nil && (swallowed(p, l, o, t, c, severity) || !worksInBlock(o)) {
		return
	}
	if o.In.Work(o.Stmt().End, o.In.End) == nil && !worksInBlock(o) {
		if o.Use == lock.Dropped && o.Gives&lock.GivesValue != 0 && (worksAfterCall(l, o) || worksUnder(p, o)) {
			p.Report(o.Site, rule.Certain, severity, fix, "nobody looks whether %s was taken: the work is done beside another holder's", l.Name())
		}
		return
	}
	if at := noted(o); at != nil {
		p.Report(o.Site, rule.Certain, severity, fix, "when %s is not taken, this is noted at most, and the work is done beside another holder's", l.Name())
		return
	}
	switch {
	case o.Swallow && o.Use == lock.Dropped:
		p.Report(o.Site, rule.Certain, severity, fix, "an error of the acquire of %s is dropped here, and the work is done without it", l.Name())
	case o.Use == lock.Dropped && o.Gives&(lock.GivesValue|lock.GivesError) != 0 && !onlyThrows(o):
		p.Report(o.Site, rule.Certain, severity, fix, "nobody looks whether %s was taken: the work is done beside another holder's", l.Name())
	case o.Use == lock.Assigned:
		assigned(p, l, o, severity)
	}
}

// rescued finds the function that a promise of an acquire is rescued by, if it returns what
// means that the lock was taken: true, or what its answer is compared with.
func rescued(o *lock.Op) (at ir.Pos, found bool) {
	if !o.Swallow || o.Through != nil {
		return 0, false
	}
	for _, s := range o.In.Sites {
		if s.Call.Method() != "catch" || s.Call.Receiver() == nil || len(s.Call.Args) == 0 || s.Call.Args[0].Kind != ir.Lambda {
			continue
		}
		of := false
		s.Call.Receiver().Each(func(x *ir.Expr) bool {
			of = of || x == o.Call
			return !of
		})
		body := s.Call.Args[0].Func.Body
		if !of || len(body) == 0 {
			continue
		}
		last := body[len(body)-1]
		if last.Does == ir.Return || last.Does == ir.Eval && s.Call.Args[0].Func.Short {
			if text, ok := last.X.Literal(); affirms(last.X) || ok && comparedWith(o, text) {
				return o.Pos(), true
			}
		}
	}
	return 0, false
}

// comparedWith reports whether the answer of an acquire is compared with a text.
func comparedWith(o *lock.Op, text string) (found bool) {
	o.In.EachStmt(func(s *ir.Stmt) {
		s.X.Each(func(e *ir.Expr) bool {
			if e.Kind == ir.Binary && len(e.Args) == 1 && (e.X.Kind == ir.Name || e.X.Kind == ir.Member) && slices.Contains(o.Names, e.X.Path()) {
				other, ok := e.Args[0].Literal()
				found = found || ok && other == text
			}
			return !found
		})
	})
	return found
}

// worksAfterCall reports whether an acquire stands in a helper, and the work follows the
// call of that.
func worksAfterCall(l *lock.Lock, o *lock.Op) bool {
	return slices.ContainsFunc(l.Calls, func(c *lock.Op) bool {
		return c.Through == o && c.Use == lock.Dropped && c.In.Work(c.Stmt().End, c.In.End) != nil
	})
}

// worksUnder reports whether an acquire stands in what is entered before work that stands
// elsewhere: a block under an object, a function that is marked.
func worksUnder(p *rule.Pass, o *lock.Op) bool {
	return slices.ContainsFunc(p.Sections, func(s *lock.Section) bool {
		return s.Acquire == o && s.In != o.In && s.In.Work(s.From-1, s.To) != nil
	})
}

// worksInBlock reports whether the work is in a block that runs whether the lock was
// taken or not.
func worksInBlock(o *lock.Op) bool {
	if o.Library == nil || !o.Library.Yields || !o.Call.Block {
		return false
	}
	block := o.Call.Args[len(o.Call.Args)-1]
	return o.In.Work(block.Pos, block.End) != nil
}

// unasked reports whether the function that an acquire calls back asks neither for its
// error nor for its answer before it works.
func unasked(o *lock.Op) bool {
	n := len(o.Call.Args)
	if n == 0 || o.Use != lock.Assigned || o.In.File.Language != ir.JavaScript {
		return false
	}
	back := o.Call.Args[n-1]
	if back.Kind != ir.Lambda || len(back.Func.Params) < 2 || o.In.Work(back.Pos, back.End) == nil {
		return false
	}
	asked := false
	o.In.EachStmt(func(s *ir.Stmt) {
		if s.X == nil || s.Pos < back.Pos || s.End > back.End {
			return
		}
		s.X.Each(func(e *ir.Expr) bool {
			asked = asked || e.Kind == ir.Name && e.Name == back.Func.Params[0].Name
			return !asked
		})
	})
	return !asked && !o.Decisive(back.Func.Params[1].Name)
}

// granted finds the branch for an error of the acquire that returns what means that the
// lock was taken; nil if there is none.
func granted(o *lock.Op) (at *ir.Stmt) {
	o.In.EachStmt(func(s *ir.Stmt) {
		if at != nil || s.Does != ir.If || s.Pos < o.Stmt().Pos || len(s.Body) == 0 || !o.Failed(s.X) {
			return
		}
		if last := s.Body[len(s.Body)-1]; last.Does == ir.Return && last.X != nil && (affirms(last.X) || o.In.File.Language != ir.Go && !o.Failed(last.X) && o.ReturnsToo(last)) && !handsError(o, last.X) && !o.GivenAgain(s) {
			at = s
		}
	})
	return at
}

// handsError reports whether what a function of Go returns has the error in it, which its
// caller asks first.
func handsError(o *lock.Op, e *ir.Expr) bool {
	if o.In.File.Language != ir.Go || e == nil || e.Kind != ir.List || len(e.Args) == 0 {
		return false
	}
	last := e.Args[len(e.Args)-1]
	return last.Kind != ir.Const && !last.Is("nil")
}

// affirms reports whether what is returned is true, or is several values of which one is.
func affirms(e *ir.Expr) (found bool) {
	if e == nil || e.Kind == ir.Const || e.Kind == ir.Name {
		return e.Is("true")
	}
	if e.Kind != ir.List && !(e.Kind == ir.Call && e.X.Kind == ir.Name) { // return owner, true; return cb(null, true)
		return false
	}
	for _, a := range e.Args {
		found = found || a.Is("true")
	}
	return found
}

// noted finds the branch for a lock that was not taken that does nothing about it,
// with work after it; nil if there is none.
func noted(o *lock.Op) (at *ir.Stmt) {
	o.In.EachStmt(func(s *ir.Stmt) {
		if at != nil || s.Does != ir.If || s.End < o.Pos() || len(s.Else) > 0 || !lock.Negated(s.X) || !o.Decides(s) {
			return
		}
		if !lock.Idle(o.In, s.Body) || o.Loop() || o.In.Work(s.End, o.In.End) == nil {
			return
		}
		at = s
	})
	return at
}

// onlyThrows reports whether a helper raises when it does not get the lock; what it
// returns besides may be dropped.
func onlyThrows(o *lock.Op) bool { return o.Through != nil && o.Gives&lock.GivesThrow != 0 }

func assigned(p *rule.Pass, l *lock.Lock, o *lock.Op, severity rule.Severity) {
	used := false
	for _, n := range o.Names {
		isErr := o.In.File.Language == ir.Go && strings.HasSuffix(strings.ToLower(n), "err")
		if isErr {
			if at := o.FailureIgnored(n); at != nil {
				p.ReportAt(o.In.File, o.Pos(), rule.Certain, severity, fix, "when the acquire of %s fails, this is noted and the work is done all the same", l.Name())
				return
			}
		}
		used = used || o.Decisive(n) && (!isErr || o.Gives&lock.GivesValue == 0 || len(o.Names) == 1)
	}
	if !used && o.Gives&(lock.GivesValue|lock.GivesError) != 0 {
		p.Report(o.Site, rule.Likely, severity, fix, "nobody looks whether %s was taken: the work is done beside another holder's", l.Name())
	}
}

// swallowed reports a handler that lets the work go on.
func swallowed(p *rule.Pass, l *lock.Lock, o *lock.Op, t *ir.Stmt, c *ir.Catch, severity rule.Severity) bool {
	if o.Loop() || leaves(t.Body, o) || flagged(t, o) || o.In.Work(t.End, o.In.End) == nil || saysNo(c.Body) {
		return false
	}
	f := p.Report(o.Site, rule.Certain, severity, fix, "when the acquire of %s fails, the error is caught and the work is done all the same", l.Name())
	f.Related = append(f.Related, rule.Related{Pos: c.Pos, Text: "caught here"})
	return true
}

// saysYes reports whether a handler returns what means that the lock was taken.
func saysYes(body []*ir.Stmt, o *lock.Op) bool {
	if len(body) == 0 {
		return false
	}
	for _, s := range body {
		for _, to := range s.To {
			if s.X.Is("true") && slices.Contains(o.Names, to.Path()) {
				return true
			}
		}
	}
	last := body[len(body)-1]
	if last.Does == ir.Return && last.X != nil && o.ReturnsToo(last) {
		return true
	}
	return (last.Does == ir.Return || last.Does == ir.Eval && o.In.Short) && affirms(last.X)
}

func saysNo(body []*ir.Stmt) bool {
	for _, s := range body {
		if s.Does == ir.Let && s.X.Is("false") {
			return true
		}
	}
	return false
}

// leaves reports whether the protected part leaves the function by itself once the
// lock is taken: nothing that follows runs with it.
func leaves(body []*ir.Stmt, o *lock.Op) bool {
	n := len(body)
	return n > 0 && body[n-1].Does == ir.Return && body[n-1].Pos >= o.Stmt().Pos
}

// flagged reports whether what the protected part notes decides about the work.
func flagged(t *ir.Stmt, o *lock.Op) bool {
	names := map[string]bool{}
	for _, n := range o.Names {
		names[n] = true
	}
	ir.EachStmt(t.Body, func(s *ir.Stmt) {
		for _, to := range s.To {
			names[to.Path()] = true
		}
	})
	found := false
	o.In.EachStmt(func(s *ir.Stmt) {
		if s.Does == ir.If && s.Pos > t.Pos && s.Pos >= t.End && lock.Exits(s.Body) && s.X != nil && !o.OpenBefore(t, s.X) {
			s.X.Each(func(e *ir.Expr) bool {
				found = found || (e.Kind == ir.Name || e.Kind == ir.Member) && names[e.Path()]
				return !found
			})
		}
	})
	return found
}
