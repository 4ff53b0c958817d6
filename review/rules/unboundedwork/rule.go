// Package unboundedwork finds work that may outlive its lease.
package unboundedwork

import (
	_ "embed"

	"github.com/ringfence-go/ringfence/review/lock"
	"github.com/ringfence-go/ringfence/review/rule"
)

//go:embed doc.md
var doc string

// Rule is the rule.
var Rule = &rule.Rule{
	Name: "unbounded-work", Number: 7, Doc: doc, Check: check,
	Summary: "a lease with no enforced timeout on the work, or shorter than it",
}

func check(p *rule.Pass) {
	seen := map[*lock.Site]bool{}
	for _, s := range p.Sections {
		l, take := s.Lock, s.Acquire.Root() // where the lease is given, behind a helper perhaps
		if l.Leader || l.Kept || l.Family == lock.Advisory || !s.Acquire.TTL.Set || l.Library != nil && (l.Library.Session || l.Library.Renews && !s.Acquire.TTL.Set) {
			continue
		}
		if len(l.All(lock.Renew, lock.Expire)) > 0 && !sameFunction(s, l) {
			continue
		}
		if late, limit := s.Outlives(); late != nil {
			if seen[take.Site] {
				continue
			}
			seen[take.Site] = true
			f := p.Report(take.Site, rule.Certain, rule.Worst(p.Unit, l), "make the lease longer than the timeout plus the time to notice and abort",
				"the lease of %s is %s and a call under it may take %s: the next holder starts while this one still works", l.Name(), s.Acquire.TTL.Value, limit)
			f.Related = append(f.Related, rule.Related{Pos: late.Pos(), Text: "the call"})
			continue
		}
		if work, c := s.Unbounded(); work != nil {
			if seen[take.Site] {
				continue
			}
			seen[take.Site] = true
			f := p.Report(take.Site, rule.Confidence(c), rule.Worst(p.Unit, l),
				"put a timeout on the work that ends before the lease does, or renew the lease and stop the work when a renewal fails",
				"nothing stops the work when the lease of %s has run out: it goes on beside the next holder's", l.Name())
			if work.In.File == take.File() {
				f.Related = append(f.Related, rule.Related{Pos: work.Pos(), Text: "the work"})
			}
		}
	}
}

// sameFunction reports whether what looks like a renewal only follows the acquire: it
// gives the lock its expiry.
func sameFunction(s *lock.Section, l *lock.Lock) bool {
	for _, o := range l.All(lock.Renew, lock.Expire) {
		if o.Do == lock.Renew || o.In != s.Acquire.In || o.Loop() {
			return false
		}
	}
	return true
}
