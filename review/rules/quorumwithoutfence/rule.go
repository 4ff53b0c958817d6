// Package quorumwithoutfence finds locks over several stores, which hand out no fence.
package quorumwithoutfence

import (
	_ "embed"

	"github.com/ringfence-go/ringfence/review/lock"
	"github.com/ringfence-go/ringfence/review/rule"
)

//go:embed doc.md
var doc string

// Rule is the rule.
var Rule = &rule.Rule{
	Name: "quorum-without-fence", Number: 14, Doc: doc, Check: check,
	Summary: "Redlock, or another quorum, without a fence",
}

func check(p *rule.Pass) {
	for _, l := range p.Locks {
		quorum := l.Library != nil && l.Library.Quorum
		for _, o := range takes(l) {
			if !quorum && !o.ByMajority() || fenced(p, l) {
				continue
			}
			p.Report(o.Site, rule.Likely, rule.Worst(p.Unit, l),
				"use a store that counts its grants and let the destination compare the number; the quorum may stay for availability",
				"the quorum makes %s survive the loss of a node, not the pause of a holder or a jump of a clock, and it hands out no number that a destination could compare", l.Name())
		}
	}
}

func takes(l *lock.Lock) []*lock.Op {
	if list := l.Own(lock.Acquire); len(list) > 0 {
		return list
	}
	return l.Own(lock.Make)
}

// fenced reports whether everything that is written under the lock carries a fence.
func fenced(p *rule.Pass, l *lock.Lock) bool {
	writes, with := 0, 0
	for _, s := range p.Sections {
		if s.Lock != l {
			continue
		}
		for _, e := range s.Effects() {
			if e.Kind == lock.Write {
				writes++
				if e.Fenced {
					with++
				}
			}
		}
	}
	return writes > 0 && writes == with
}
