// Package leaderwithoutterm finds writes of a leader that carry no term.
package leaderwithoutterm

import (
	_ "embed"

	"github.com/ringfence-go/ringfence/review/lock"
	"github.com/ringfence-go/ringfence/review/rule"
)

//go:embed doc.md
var doc string

// Rule is the rule.
var Rule = &rule.Rule{
	Name: "leader-without-term", Number: 11, Doc: doc, Check: check,
	Summary: "a leader whose writes carry no term",
}

func check(p *rule.Pass) {
	for _, s := range p.Sections {
		if !s.Lock.Leader {
			continue
		}
		for _, e := range s.Effects() {
			if e.Kind != lock.Write || e.Fenced {
				continue
			}
			c := rule.Likely
			if e.Guarded && !e.Moves {
				c = rule.Possible
			}
			f := p.Report(e.Site, c, rule.Error,
				"write the term of the election with it, and refuse a lower one in the condition of this write",
				"a leader that has been replaced and does not know it yet still makes this %s, beside the new one's", e.What)
			if s.Acquire.File() == e.In.File {
				f.Related = append(f.Related, rule.Related{Pos: s.Acquire.Pos(), Text: "it is elected here"})
			}
		}
	}
}
