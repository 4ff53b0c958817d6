// Package unrepeatableeffect finds effects under a lock that nobody can take back.
package unrepeatableeffect

import (
	_ "embed"

	"github.com/ringfence-go/ringfence/review/lock"
	"github.com/ringfence-go/ringfence/review/rule"
)

//go:embed doc.md
var doc string

// Rule is the rule.
var Rule = &rule.Rule{
	Name: "unrepeatable-effect", Number: 8, Doc: doc, Check: check,
	Summary: "a lock around an effect that is not idempotent: a payment, a mail, a message",
}

func check(p *rule.Pass) {
	for _, s := range p.Sections {
		for _, e := range s.Effects() {
			if e.Kind != lock.Outside || e.Idempotent {
				continue
			}
			f := p.Report(e.Site, rule.Likely, rule.Error,
				"send an idempotency key made of what is done, not of who does it, or write it to an outbox in the same transaction as the state",
				"%s keeps two from starting at once, not from doing it twice: after a pause, a crash or a lost reply %s goes out again", s.Lock.Name(), e.What)
			if s.Acquire.File() == e.In.File {
				f.Related = append(f.Related, rule.Related{Pos: s.Acquire.Pos(), Text: "the lock is taken here"})
			}
		}
	}
}
