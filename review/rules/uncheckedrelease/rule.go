// Package uncheckedrelease finds releases that end a lock whoever holds it.
package uncheckedrelease

import (
	_ "embed"

	"github.com/ringfence-go/ringfence/review/lock"
	"github.com/ringfence-go/ringfence/review/rule"
)

//go:embed doc.md
var doc string

// Rule is the rule.
var Rule = &rule.Rule{
	Name: "unchecked-release", Number: 1, Doc: doc, Check: check,
	Summary: "a release that does not check whose lock it ends",
}

func check(p *rule.Pass) {
	for _, l := range p.Locks {
		for _, o := range l.Own(lock.Release) {
			if o.ComparedBy() != nil || o.Watched() {
				continue
			}
			c := rule.Likely
			if lock.HasWord(o.In.Name, "force forced admin steal break purge reset clear flush") {
				c = rule.Possible // ends somebody else's lock on purpose
			}
			f := p.Report(o.Site, c, rule.Worst(p.Unit, l), fix(o),
				"this ends %s whoever holds it: if ours has run out and another holder has it now, a third one gets in beside them", l.Name())
			if takes := l.Own(lock.Acquire); len(takes) > 0 && takes[0].File() == o.File() {
				f.Related = append(f.Related, rule.Related{Pos: takes[0].Pos(), Text: "taken here"})
			}
		}
	}
}

func fix(o *lock.Op) string {
	switch o.Family {
	case lock.Table:
		return "put the owner, and the fence if there is one, into the WHERE of the DELETE, and look at the number of rows"
	case lock.Library_:
		return "release through the lock object that took it, which checks the owner"
	case lock.Object:
		return "delete it with If-Match and the entity tag of what was put, and look at the answer"
	case lock.Cache:
		return "use a lock of the store that compares the owner; a cache's delete can't"
	}
	return "compare and delete in one step: a script, or DELEX key IFEQ owner, with an owner value that nobody else has"
}
