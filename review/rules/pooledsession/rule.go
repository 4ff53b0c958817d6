// Package pooledsession finds locks of a database session that are taken and given
// back through a pool.
package pooledsession

import (
	_ "embed"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lock"
	"github.com/ringfence-go/ringfence/review/rule"
)

//go:embed doc.md
var doc string

// Rule is the rule.
var Rule = &rule.Rule{
	Name: "pooled-session-lock", Number: 13, Doc: doc, Check: check,
	Summary: "a session's advisory lock through a pool: locked on one connection, unlocked on another",
}

func check(p *rule.Pass) {
	for _, l := range p.Locks {
		if l.Family != lock.Advisory {
			continue
		}
		for _, o := range l.Own(lock.Acquire) {
			if !lock.Pooled(o) {
				continue
			}
			if o.In.File.Language == ir.Shell {
				p.Report(o.Site, rule.Certain, rule.Worst(p.Unit, l),
					"lock and work in one session: one psql that reads both, or pg_advisory_xact_lock in its transaction",
					"the lock ends with the session of this one command: nothing is locked when the next line runs")
			} else {
				p.Report(o.Site, rule.Certain, rule.Worst(p.Unit, l),
					"take one connection out of the pool, and lock, work and unlock on it; or use the lock of a transaction (pg_advisory_xact_lock)",
					"the lock belongs to the connection that the pool happens to give here: the unlock goes to another one, and the lock stays for as long as the pool keeps this one")
			}
		}
	}
}
