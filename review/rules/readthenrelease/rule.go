// Package readthenrelease finds releases that look at the owner first and delete in
// a second step.
package readthenrelease

import (
	_ "embed"

	"github.com/ringfence-go/ringfence/review/lock"
	"github.com/ringfence-go/ringfence/review/rule"
)

//go:embed doc.md
var doc string

// Rule is the rule.
var Rule = &rule.Rule{
	Name: "read-then-release", Number: 2, Doc: doc, Check: check,
	Summary: "a release that reads the owner, then deletes",
}

func check(p *rule.Pass) {
	for _, l := range p.Locks {
		for _, o := range l.Own(lock.Release) {
			look := o.ComparedBy()
			if look == nil || o.Watched() || o.In.LocksRow() {
				continue
			}
			f := p.Report(o.Site, rule.Certain, rule.Worst(p.Unit, l),
				"compare and delete in one step: a script, DELEX key IFEQ owner, or a DELETE with the owner in its WHERE",
				"between the look at the owner and this delete %s can run out and be taken by another, whose lock is then deleted", l.Name())
			f.Related = append(f.Related, rule.Related{Pos: look.Pos(), Text: "the owner is read here"})
		}
	}
}
