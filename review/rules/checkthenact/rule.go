// Package checkthenact finds writes that rely on a look at the lock just before them.
package checkthenact

import (
	_ "embed"

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
	for _, s := range p.Sections {
		if s.Lock.Leader {
			continue
		}
		for _, e := range s.Effects() {
			if e.Kind == lock.CacheFill || e.Fenced || e.In != s.In {
				continue
			}
			at, ok := s.CheckBefore(e.Site)
			if !ok {
				continue
			}
			f := p.Report(e.Site, rule.Likely, rule.Worst(p.Unit, s.Lock),
				"put the comparison into the write itself: a fence that the destination compares",
				"between the look at %s and this write any amount of time can pass: the look proves nothing when the write arrives", s.Lock.Name())
			f.Related = append(f.Related, rule.Related{Pos: at, Text: "looked at here"})
		}
	}
}
