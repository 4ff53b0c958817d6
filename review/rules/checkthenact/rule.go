// Package checkthenact finds writes that rely on a look at the lock just before them.
package checkthenact

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
	Name: "check-then-act", Number: 12, Doc: doc, Check: check,
	Summary: "ownership is looked up again just before the write",
}

func check(p *rule.Pass) {
	for _, l := range p.Locks {
		for _, look := range l.All(lock.Read, lock.Confirm) {
			if look.Asks() && !look.Pins() && (l.Leader || !inSection(p, l, look)) {
				apart(p, l, look)
			}
		}
	}
	for _, s := range p.Sections {
		if s.Lock.Leader {
			continue
		}
		found := false
		for _, e := range s.Effects() {
			if e.Kind == lock.CacheFill || e.Fenced || e.In != s.In {
				continue
			}
			if at, ok := s.CheckBefore(e.Site); ok {
				report(p, s.Lock, e.Site, at)
				found = true
			}
		}
		if !found {
			committed(p, s)
		}
	}
}

// committed looks for a transaction that is ended by a look at the lock: what it has written
// before takes effect after the look.
func committed(p *rule.Pass, s *lock.Section) {
	for _, site := range s.In.Sites {
		if !s.Holds(site.Pos()) || !site.Commits() {
			continue
		}
		at, ok := s.CheckBefore(site)
		if !ok {
			continue
		}
		for _, e := range s.Effects() {
			if e.In == s.In && e.Kind == lock.Write && !e.Fenced && !e.Guarded && e.Pos() < site.Pos() {
				report(p, s.Lock, site, at)
				return
			}
		}
	}
}

func report(p *rule.Pass, l *lock.Lock, write *lock.Site, at ir.Pos) {
	f := p.Report(write, rule.Likely, rule.Worst(p.Unit, l),
		"put the comparison into the write itself: a fence that the destination compares",
		"between the look at %s and this write any amount of time can pass: the look proves nothing when the write arrives", l.Name())
	f.Related = append(f.Related, rule.Related{Pos: at, Text: "looked at here"})
}

// apart looks at writes of a function that asks for the owner and has not taken the
// lock itself: another method did.
func apart(p *rule.Pass, l *lock.Lock, look *lock.Op) {
	for _, s := range look.In.Sites {
		if s.Pos() <= look.Pos() || l.Leader && !look.Encloses(s) || !look.LeadsTo(s) {
			continue
		}
		if e := look.In.Effect(s); e != nil && e.Kind != lock.CacheFill && !e.Fenced && !e.Guarded {
			report(p, l, s, look.Pos())
		}
	}
}

func inSection(p *rule.Pass, l *lock.Lock, look *lock.Op) bool {
	for _, s := range p.Sections {
		if s.Lock == l && s.In == look.In {
			return true
		}
	}
	return false
}
