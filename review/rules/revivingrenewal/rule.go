// Package revivingrenewal finds renewals that make a lock last longer whoever holds
// it, or though the work is over.
package revivingrenewal

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
	Name: "reviving-renewal", Number: 16, Doc: doc, Check: check,
	Summary: "a renewal that revives an expired lock, or a heartbeat that outlives the work",
}

func check(p *rule.Pass) {
	for _, l := range p.Locks {
		for _, o := range l.Own(lock.Expire, lock.Put) {
			if renews(l, o) {
				p.Report(o.Site, rule.Likely, rule.Worst(p.Unit, l),
					"compare the owner and extend in one step (a script; an UPDATE with owner and expires_at > now() in its WHERE), and stop the work when it says no",
					"this extends %s whoever holds it: a holder that lost it keeps the next one's alive, or takes it back", l.Name())
			}
		}
		for _, o := range l.All(lock.Renew, lock.Expire) {
			outlives(p, l, o)
		}
	}
}

// renews reports whether an op extends a lock some time after it was taken.
func renews(l *lock.Lock, o *lock.Op) bool {
	switch {
	case o.Do == lock.Put && o.Command != nil && !o.Command.XX, o.Watched(), o.ComparedBy() != nil:
		return false
	case o.Do == lock.Put && o.SQL != nil:
		if _, owner := o.SQL.Set(o.IsOwner); owner || o.SQL.Verb != "update" {
			return false
		}
		return true
	case o.Do == lock.Put && o.Command == nil:
		return false
	}
	named := lock.HasWord(o.In.Name, "renew extend refresh heartbeat keepalive touch keep prolong beat ping watchdog")
	for _, take := range l.Own(lock.Acquire) {
		if take.In == o.In && (!named || !take.TTL.Set) {
			return repeated(o) // else it gives the lock the expiry that the acquire did not
		}
	}
	return named || repeated(o) || o.In.Beside
}

// repeated reports whether an op is done again and again beside the work.
func repeated(o *lock.Op) bool {
	for _, st := range o.Path {
		if st.Stmt.Does == ir.Spawn || st.Branch == lock.InLambda && timer(st) != nil {
			return true
		}
	}
	return false
}

const timers = "setInterval setTimeout scheduleAtFixedRate scheduleWithFixedDelay schedule AfterFunc every"

// timer is the call that a lambda is handed to in order to be called later; nil if
// it is none.
func timer(st lock.Step) (found *ir.Expr) {
	st.Stmt.X.Each(func(e *ir.Expr) bool {
		for _, a := range e.Args {
			if a == st.Lambda && e.Kind == ir.Call && slices.Contains(strings.Fields(timers), e.Method()) {
				found = e
			}
		}
		return found == nil
	})
	return found
}

// outlives reports a timer that renews and that nothing stops.
func outlives(p *rule.Pass, l *lock.Lock, o *lock.Op) {
	for _, st := range o.Path {
		if st.Branch != lock.InLambda {
			continue
		}
		timer := timer(st)
		if timer.Method() != "setInterval" || cleared(p, o) {
			continue
		}
		p.ReportAt(o.In.File, timer.Pos, rule.Likely, rule.Worst(p.Unit, l), "clear the interval in a finally around the work",
			"nothing stops this timer: it keeps %s alive after the work has failed, and nobody else gets it", l.Name())
	}
}

func cleared(p *rule.Pass, o *lock.Op) bool {
	for _, f := range p.Functions {
		for _, s := range f.Sites {
			if s.Call.Method() == "clearInterval" && f.File == o.File() {
				return true
			}
		}
	}
	return false
}
