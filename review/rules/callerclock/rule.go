// Package callerclock finds leases whose end is computed or judged by the clock of
// the caller.
package callerclock

import (
	_ "embed"
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lock"
	"github.com/ringfence-go/ringfence/review/rule"
)

//go:embed doc.md
var doc string

// Rule is the rule.
var Rule = &rule.Rule{
	Name: "caller-clock", Number: 6, Doc: doc, Check: check,
	Summary: "an expiry computed or compared on the caller's clock",
}

const (
	fix     = "let the store judge: now() + interval in the statement, PX in the command, with the comparison in the same step"
	message = "each host judges the end of %s by its own clock: one that runs ahead takes it from a living holder"
)

func check(p *rule.Pass) {
	seen := map[*lock.Function]bool{}
	for _, l := range p.Locks {
		for _, o := range l.Own(lock.Acquire, lock.Put, lock.Renew, lock.Read) {
			if l.Family != lock.Table && !timestamped(l) {
				continue
			}
			arguments(p, l, o)
			if !seen[o.In] {
				seen[o.In] = true
				expiries(p, l, o.In)
			}
		}
	}
}

// timestamped reports whether a Redis lock keeps its own expiry as the value, as the
// recipe with SETNX and GETSET does.
func timestamped(l *lock.Lock) bool {
	if l.Family != lock.Redis {
		return false
	}
	for _, o := range l.Own(lock.Acquire) {
		if _, at := o.In.Clock(o.Value); at != nil && !o.TTL.Set {
			for _, put := range l.Own(lock.Put) {
				if put.Command.Name == "GETSET" {
					return true
				}
			}
		}
	}
	return false
}

// arguments looks at what is handed to a statement about the lock's row.
func arguments(p *rule.Pass, l *lock.Lock, o *lock.Op) {
	if l.Family == lock.Redis {
		if in, at := o.In.Expiry(o.Value); at != nil && o.Is(lock.Acquire, lock.Put) {
			p.ReportAt(in.File, at.Pos, rule.Likely, rule.Warning, fix, message, l.Name())
		}
		return
	}
	if o.In.File.Language == ir.SQL {
		parameters(p, l, o)
		return
	}
	if o.SQL != nil && len(o.SQL.Sets) > 0 && !knows(o) {
		return // a time that is noted, and ends nothing
	}
	if o.Marked() {
		for _, c := range l.Calls {
			if c.Root() == o {
				handed(p, l, c)
			}
		}
		return
	}
	bound(p, l, o)
	handed(p, l, o)
}

// handed looks at the arguments of a call.
func handed(p *rule.Pass, l *lock.Lock, o *lock.Op) {
	for _, sum := range []bool{true, false} { // rather where it is computed than where it is compared
		for _, a := range o.Call.Args {
			if in, at := keyed(l, o.In, a, 4); at != nil && (!sum || lock.IsSum(at)) {
				p.ReportAt(in.File, at.Pos, rule.Likely, rule.Warning, fix, message, l.Name())
				return
			}
		}
	}
	for _, a := range o.Call.Args {
		list := []*ir.Expr{a}
		if a.Kind == ir.Call && !a.Block { // query(prepare("...", until))
			list = append(list, a.Args...)
		}
		for _, a := range list {
			if in, at := o.In.Expiry(a); at != nil {
				p.ReportAt(in.File, at.Pos, rule.Likely, rule.Warning, fix, message, l.Name())
				return
			}
		}
	}
}

// knows reports whether a statement says until when a row is held, or asks for it.
func knows(o *lock.Op) bool {
	_, sets := o.SQL.Set(o.IsExpiry)
	_, tests := o.SQL.Test(o.IsExpiry)
	return sets || tests
}

// keyed finds the expiry among what a literal holds under a key that says so.
func keyed(l *lock.Lock, f *lock.Function, e *ir.Expr, depth int) (in *lock.Function, at *ir.Expr) {
	v := f.Resolve(e)
	if v.Kind == ir.Unary {
		v = v.In.Resolve(v.X)
	}
	if v.Kind != ir.Map || depth == 0 {
		return nil, nil
	}
	for i, a := range v.Args {
		if l.IsExpiry(v.Key(i)) {
			in, at = v.In.Expiry(a)
		} else {
			in, at = keyed(l, v.In, a, depth-1)
		}
		if at != nil {
			return in, at
		}
	}
	return nil, nil
}

// bound looks at what is put into a prepared statement by calls of its own.
func bound(p *rule.Pass, l *lock.Lock, o *lock.Op) {
	for _, a := range o.In.Bound(o.Site) {
		if in, at := o.In.Expiry(a); at != nil {
			p.ReportAt(in.File, at.Pos, rule.Likely, rule.Warning, fix, message, l.Name())
			return
		}
	}
}

// parameters looks for an expiry that a procedure is handed by its caller.
func parameters(p *rule.Pass, l *lock.Lock, o *lock.Op) {
	if o.SQL == nil {
		return
	}
	if test, ok := o.SQL.Test(o.IsExpiry); ok && o.Do == lock.Acquire && (placeholder(test.Op, test.Value) || o.In.Param(test.Value)) {
		p.Report(o.Site, rule.Likely, rule.Warning, "compare it with the clock of the database: now(), in the statement", message, l.Name())
		return
	}
	set, ok := o.SQL.Set(o.IsExpiry)
	if !ok || !o.In.Param(set.Value) || !lock.HasWord(set.Value, "until expires expiry at now deadline time") {
		return
	}
	p.Report(o.Site, rule.Likely, rule.Warning, "compute it in the statement: now() + the time that the caller asks for", message, l.Name())
}

// placeholder reports whether an expiry is compared with a value that the caller of a
// statement binds.
func placeholder(op, value string) bool {
	return strings.ContainsAny(op, "<>") && value != "" && strings.ContainsAny(value[:1], "$?:@") && !strings.ContainsAny(value, " (")
}

// expiries looks for an expiry that is computed or compared in a function that works
// on the lock's row.
func expiries(p *rule.Pass, l *lock.Lock, f *lock.Function) {
	f.EachStmt(func(s *ir.Stmt) {
		for _, to := range s.To {
			if l.IsExpiry(to.Name) && !waits(to) {
				report(p, l, f, s.X)
			}
		}
		if s.X == nil {
			return
		}
		s.X.Each(func(e *ir.Expr) bool {
			for i, k := range e.Keys { // { expires_at: ... }
				if l.IsExpiry(k) && l.Family == lock.Table && (e.Kind == ir.Map || e.Kind == ir.Call) && e.Receiver() != nil {
					report(p, l, f, e.Args[i])
				}
			}
			if s.Does != ir.Loop && compares(l, e) {
				report(p, l, f, e.Receiver(), e.Arg(0), e.Arg(1))
				report(p, l, f, e)
			}
			return e.Kind != ir.Lambda
		})
	})
}

func compares(l *lock.Lock, e *ir.Expr) bool {
	switch {
	case e.Kind == ir.Binary && (e.Name == "<" || e.Name == ">" || e.Name == "<=" || e.Name == ">="):
		return expires(l, e.X) || expires(l, e.Args[0])
	case e.Kind == ir.Call && lock.HasWord(e.Method(), "before after isbefore isafter past future"):
		return expires(l, e.Receiver()) || len(e.Args) == 1 && expires(l, e.Args[0]) || len(e.Args) == 2 && e.Receiver() == nil && (expires(l, e.Args[0]) || expires(l, e.Args[1]))
	}
	return false
}

// expires reports whether a value is an expiry that was read, in whatever form:
// row.expires_at, strtotime($row['expires_at']), rs.getTimestamp("expires_at").
func expires(l *lock.Lock, e *ir.Expr) (found bool) {
	e.Each(func(x *ir.Expr) bool {
		switch x.Kind {
		case ir.Name, ir.Member:
			found = found || l.IsExpiry(x.Name) && !waits(x)
		case ir.String:
			found = found || len(x.Args) == 0 && !strings.Contains(x.Name, " ") && l.IsExpiry(x.Name)
		}
		return !found && x.Kind != ir.Lambda
	})
	return found
}

// waits reports whether a variable is more likely to say how long its own function
// waits than until when a lock is held.
func waits(e *ir.Expr) bool {
	return e.Kind == ir.Name && lock.HasWord(e.Name, "deadline timeout timeouts")
}

func report(p *rule.Pass, l *lock.Lock, f *lock.Function, list ...*ir.Expr) {
	for _, e := range list {
		if in, at := f.Expiry(e); at != nil {
			p.ReportAt(in.File, at.Pos, rule.Likely, rule.Warning, fix, message, l.Name())
		}
	}
}
