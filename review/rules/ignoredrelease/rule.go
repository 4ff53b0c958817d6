// Package ignoredrelease finds releases whose answer nobody looks at.
package ignoredrelease

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
	Name: "ignored-release", Number: 10, Doc: doc, Check: check,
	Summary: "the result of a release is discarded",
}

const (
	fix     = "look at the result: if the lock was gone already, the work ran without it; tell the caller, count it"
	message = "if %s had ended before the work did, this release knows it and nobody is told"
)

func check(p *rule.Pass) {
	for _, l := range p.Locks {
		for _, o := range l.All(lock.GiveUp) {
			if !dropped(o) || o.In.File.Language == ir.SQL {
				continue
			}
			root := o.Root()
			if root != o && root.Use == lock.Dropped {
				continue // reported where the helper drops it
			}
			f := p.Report(root.Site, rule.Likely, rule.Note, fix, message, l.Name())
			if root == o && unawaited(o) {
				f.Edit = &rule.Edit{From: o.Call.Pos, To: o.Call.Pos, Text: "await "}
			}
			if root != o && root.File() == o.File() {
				f.Related = append(f.Related, rule.Related{Pos: o.Pos(), Text: "dropped here"})
			}
		}
	}
}

func dropped(o *lock.Op) bool {
	if o.Swallow && !o.Noted && o.Use == lock.Dropped {
		return true
	}
	if o.Use == lock.Assigned {
		for _, n := range o.Names {
			if n != "_" && n != "" {
				return false
			}
		}
		return len(o.Names) > 0
	}
	if o.Use != lock.Dropped {
		return false
	}
	if o.Gives&(lock.GivesValue|lock.GivesError) != 0 && !(o.Through != nil && o.Gives&lock.GivesThrow != 0) {
		return true
	}
	if unawaited(o) || silent(o) {
		return true
	}
	t, c := o.Swallowed()
	return t != nil && len(c.Body) == 0
}

// silent reports whether the answer goes to a function that does nothing with it.
func silent(o *lock.Op) bool {
	n := len(o.Call.Args)
	if n == 0 || o.Through != nil {
		return false
	}
	back := o.Call.Args[n-1]
	return back.Kind == ir.Lambda && len(back.Func.Params) == 0 && len(back.Func.Body) == 0
}

// unawaited reports whether a release returns a promise that nobody waits for, in a
// function that could.
func unawaited(o *lock.Op) bool {
	return o.In.File.Language == ir.JavaScript && o.Through == nil && o.Gives == lock.GivesThrow && o.Stmt().X == o.Call && o.In.Awaits()
}
