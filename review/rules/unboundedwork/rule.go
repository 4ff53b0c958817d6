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
	told := map[*lock.Site]bool{} // of each acquire once, and rather what the code says than what it leaves out
	for _, s := range p.Sections {
		if !told[take(s).Site] && promises(s) {
			told[take(s).Site] = outlives(p, s)
		}
	}
	for _, s := range p.Sections {
		if !told[take(s).Site] && promises(s) {
			told[take(s).Site] = unbounded(p, s)
		}
	}
}

// take is where the lease of a section is given, behind a helper perhaps.
func take(s *lock.Section) *lock.Op { return s.Acquire.Root() }

// promises reports whether the lease of a section ends at a time, and nobody renews it.
func promises(s *lock.Section) bool {
	l := s.Lock
	if l.Leader || l.Kept || l.Family == lock.Advisory || !s.Acquire.TTL.Set || l.Library != nil && (l.Library.Session || l.Library.Renews && !s.Acquire.TTL.Set) {
		return false
	}
	return len(l.All(lock.Renew, lock.Expire)) == 0 || sameFunction(s, l)
}

// outlives reports a call that may take longer than the lease by its own word.
func outlives(p *rule.Pass, s *lock.Section) bool {
	late, limit := s.Outlives()
	if late == nil {
		return false
	}
	f := p.Report(take(s).Site, rule.Certain, rule.Worst(p.Unit, s.Lock), "make the lease longer than the timeout plus the time to notice and abort",
		"the lease of %s is %s and a call under it may take %s: the next holder starts while this one still works", s.Lock.Name(), s.Acquire.TTL.Value, limit)
	f.Related = append(f.Related, rule.Related{Pos: late.Pos(), Text: "the call"})
	return true
}

// unbounded reports work that nothing ends.
func unbounded(p *rule.Pass, s *lock.Section) bool {
	work, c := s.Unbounded()
	if work == nil {
		return false
	}
	f := p.Report(take(s).Site, rule.Confidence(c), rule.Worst(p.Unit, s.Lock),
		"put a timeout on the work that ends before the lease does, or renew the lease and stop the work when a renewal fails",
		"nothing stops the work when the lease of %s has run out: it goes on beside the next holder's", s.Lock.Name())
	if work.In.File == take(s).File() {
		f.Related = append(f.Related, rule.Related{Pos: work.Pos(), Text: "the work"})
	}
	return true
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
