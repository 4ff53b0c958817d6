// Package strayrelease finds releases that run though the lock was not taken.
package strayrelease

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
	Name: "stray-release", Number: 18, Doc: doc, Check: check,
	Summary: "a release on the path that did not acquire",
}

func check(p *rule.Pass) {
	for _, l := range p.Locks {
		for _, o := range l.All(lock.Release, lock.GiveUp) {
			take := strayFrom(l, o)
			if take == nil || o.Do == lock.GiveUp && !complains(o) {
				continue
			}
			consequence, severity := "it ends the lock of the one that has it", rule.Worst(p.Unit, l)
			if o.Do == lock.GiveUp {
				consequence, severity = "it throws, over the reason why the work was not done", rule.Note
			}
			f := p.Report(o.Site, rule.Likely, severity, "take the lock before the try (or the defer, or the trap) whose end releases it",
				"this also runs when %s was not taken here: %s", l.Name(), consequence)
			if take.File() == o.File() {
				f.Related = append(f.Related, rule.Related{Pos: take.Pos(), Text: "taken here, or not"})
			}
		}
	}
}

// complains reports whether a library's release throws when the lock is not held.
func complains(o *lock.Op) bool {
	return o.Library != nil && o.Through == nil && o.Gives == lock.GivesThrow
}

// strayFrom finds the acquire that a release does not depend on.
func strayFrom(l *lock.Lock, o *lock.Op) *lock.Op {
	for _, take := range l.All(lock.Acquire) {
		if take.In != o.In {
			continue
		}
		for _, st := range o.Path {
			switch {
			case st.Branch == lock.InFinal && inBody(take, st.Stmt) && take.Gives&lock.GivesValue != 0 && !guarded(o, st.Stmt):
				return take
			case st.Branch == lock.InDeferred && o.Pos() < take.Pos():
				return take
			case st.Branch == lock.InBody && st.Stmt == take.Stmt() && st.Stmt.Does == ir.If && lock.Negated(st.Stmt.X):
				return take
			}
		}
	}
	return nil
}

func inBody(o *lock.Op, try *ir.Stmt) bool {
	for _, st := range o.Path {
		if st.Stmt == try && st.Branch == lock.InBody {
			return true
		}
	}
	return false
}

// guarded reports whether the release stands in a branch of its own in the end of
// the try: if it was taken.
func guarded(o *lock.Op, try *ir.Stmt) bool {
	inside := false
	for _, st := range o.Path {
		if inside && st.Stmt.Does == ir.If {
			return true
		}
		inside = inside || st.Stmt == try
	}
	return false
}
