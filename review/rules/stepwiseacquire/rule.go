// Package stepwiseacquire finds locks that are taken in more than one step, or
// without an end.
package stepwiseacquire

import (
	_ "embed"

	"github.com/ringfence-go/ringfence/review/lock"
	"github.com/ringfence-go/ringfence/review/rule"
)

//go:embed doc.md
var doc string

// Rule is the rule.
var Rule = &rule.Rule{
	Name: "stepwise-acquire", Number: 3, Doc: doc, Check: check,
	Summary: "a lock taken in two steps, with its expiry set in a second step, or with none",
}

func check(p *rule.Pass) {
	for _, l := range p.Locks {
		for _, pair := range l.TwoStep {
			twoStep(p, l, pair)
		}
		if len(l.TwoStep) > 0 {
			continue
		}
		for _, o := range l.Own(lock.Acquire, lock.Make) {
			endless(p, l, o)
		}
	}
}

func twoStep(p *rule.Pass, l *lock.Lock, pair lock.Pair) {
	f := p.Report(pair.Write.Site, rule.Likely, rule.Worst(p.Unit, l),
		"take it in one step: SET key owner NX PX ttl, or one INSERT ... ON CONFLICT DO UPDATE ... WHERE it has expired",
		"two callers can both see %s free and both take it, because the look and this write are two steps", l.Name())
	f.Related = append(f.Related, rule.Related{Pos: pair.Check.Pos(), Text: "looked at here"})
}

// endless reports a lock that is taken without an expiry, at the step that sets one
// later if there is such a step.
func endless(p *rule.Pass, l *lock.Lock, o *lock.Op) {
	if o.Vacant() {
		if l.Unending(o) {
			forever(p, l, o)
		}
		return
	}
	if o.TTL.Set || o.Family == lock.Cache || !expires(l, o) {
		return
	}
	for _, later := range l.Own(lock.Expire, lock.Put) {
		if later.In != o.In && !later.Watched() && later.Do == lock.Put || later.Pos() < o.Pos() || later.File() != o.File() {
			continue
		}
		if o.In == later.In && o.InServer() {
			return
		}
		f := p.Report(later.Site, rule.Certain, rule.Worst(p.Unit, l), "set the value and the expiry in one command: SET key owner NX PX ttl",
			"a process that dies between the two steps leaves %s without an expiry, and nobody gets it again", l.Name())
		f.Related = append(f.Related, rule.Related{Pos: o.Pos(), Text: "taken here"})
		return
	}
	forever(p, l, o)
}

func forever(p *rule.Pass, l *lock.Lock, o *lock.Op) {
	p.Report(o.Site, rule.Likely, rule.Worst(p.Unit, l), "give it an expiry in the same step that takes it",
		"nothing ends %s if the process dies while it holds it: the work stops until somebody deletes it by hand", l.Name())
}

// expires reports whether the family of a lock is one whose locks end by a time.
func expires(l *lock.Lock, o *lock.Op) bool {
	switch o.Family {
	case lock.Redis:
		return o.Do == lock.Acquire
	case lock.Table:
		return o.Do == lock.Acquire && o.SQL != nil && (o.SQL.Verb == "insert" && len(o.SQL.Sets) > 0 || o.Flagged()) && !anyExpiry(l)
	case lock.Library_:
		return o.Do == lock.Make && (l.Library.Name == "redis-py" || l.Library.Name == "python-redis-lock")
	}
	return false
}

// anyExpiry reports whether any statement about the table knows an expiry.
func anyExpiry(l *lock.Lock) bool {
	for _, o := range l.Ops {
		if o.SQL == nil {
			continue
		}
		_, sets := o.SQL.Set(o.IsExpiry)
		_, tests := o.SQL.Test(o.IsExpiry)
		if sets || tests {
			return true
		}
	}
	return false
}
