// Package fencebesidewrite finds fences that are compared before the write instead of
// in it.
package fencebesidewrite

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
	Name: "fence-beside-the-write", Number: 15, Doc: doc, Check: check,
	Summary: "the fence is compared outside of the write's own condition",
}

func check(p *rule.Pass) {
	for _, f := range p.Functions {
		if f.Watches() || f.LocksRow() {
			continue
		}
		at, ok := comparison(f)
		if !ok || locked(f) {
			continue
		}
		for _, s := range f.Sites {
			if s.Pos() < at || !writes(f, s) {
				continue
			}
			r := p.Report(s, rule.Likely, rule.Warning,
				"put the comparison into the condition of the write (WHERE fence <= ?), and look at the number of rows",
				"two holders can both pass the comparison before either writes: the stale one's write then lands last")
			r.Related = append(r.Related, rule.Related{Pos: at, Text: "the fence is compared here"})
			break
		}
	}
}

// comparison finds the branch that compares two fences and leaves.
func comparison(f *lock.Function) (at ir.Pos, ok bool) {
	f.EachStmt(func(s *ir.Stmt) {
		if s.Does != ir.If || ok || s.X == nil {
			return
		}
		s.X.Each(func(e *ir.Expr) bool {
			if e.Kind == ir.Binary && (e.Name == "<" || e.Name == ">" || e.Name == "<=" || e.Name == ">=") && fences(e) {
				at, ok = s.Pos, true
			}
			return !ok
		})
	})
	return at, ok
}

func fences(e *ir.Expr) bool {
	left, right := e.X, e.Args[0]
	return lock.IsFence(left.Path()) && (right.Kind == ir.Name || right.Kind == ir.Member || right.Kind == ir.Index) ||
		lock.IsFence(right.Path()) && (left.Kind == ir.Name || left.Kind == ir.Member || left.Kind == ir.Index)
}

// locked reports whether a read of the function locks the rows that it reads.
func locked(f *lock.Function) bool {
	for _, s := range f.Sites {
		if q := f.Statement(s.Call); q != nil && q.ForUpdate {
			return true
		}
	}
	return false
}

// writes reports whether a call writes the row without comparing the fence.
func writes(f *lock.Function, s *lock.Site) bool {
	e := f.Effect(s)
	if e == nil || e.Kind != lock.Write || e.Query == nil {
		return false
	}
	if e.Query.Builder {
		_, tests := e.Query.Test(lock.IsFence)
		return !tests
	}
	return !e.Fenced && e.Query.Verb == "update"
}
