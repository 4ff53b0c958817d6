// Package fencebesidewrite finds fences that are compared before the write instead of
// in it.
package fencebesidewrite

import (
	_ "embed"
	"slices"
	"strings"

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

const (
	fix     = "put the comparison into the condition of the write (WHERE fence <= ?), and look at the number of rows"
	message = "two holders can both pass the comparison before either writes: the stale one's write then lands last"
)

func check(p *rule.Pass) {
	for _, f := range p.Functions {
		if f.Watches() || f.LocksRow() {
			continue
		}
		c := comparison(f)
		if c == nil {
			c = behind(f)
		}
		if locked(f) {
			continue
		}
		if c == nil {
			raised(p, f)
			continue
		}
		for _, s := range f.Sites {
			if s.Pos() < c.at || !c.leaves && s.Pos() >= c.end || s.InServer() || !writes(f, s, c) {
				continue
			}
			r := p.Report(s, rule.Likely, rule.Warning, fix, message)
			r.Related = append(r.Related, rule.Related{Pos: c.at, Text: "the fence is compared here"})
			break
		}
	}
}

// raised looks for a column that is read, compared by its order with a value in a branch
// that leaves, and then set to that value without a condition: a fence, whatever it is
// called.
func raised(p *rule.Pass, f *lock.Function) {
	f.EachStmt(func(st *ir.Stmt) {
		if st.Does != ir.If || st.X == nil || !lock.Exits(st.Body) {
			return
		}
		st.X.Each(func(e *ir.Expr) bool {
			if e.Kind == ir.Binary && len(e.Args) == 1 && strings.Contains("< > <= >=", e.Name) {
				raises(p, f, st, e.X, e.Args[0])
				raises(p, f, st, e.Args[0], e.X)
			}
			return e.Kind != ir.Lambda
		})
	})
}

func raises(p *rule.Pass, f *lock.Function, st *ir.Stmt, stored, value *ir.Expr) {
	column := f.PartName(stored)
	if column == "" || stored.Kind == ir.Name || value.Kind != ir.Name && value.Kind != ir.Member || lock.HasWord(column, measures) {
		return
	}
	for _, s := range f.Sites {
		if s.Pos() < st.End || s.InServer() {
			continue
		}
		q := f.Statement(s.Call)
		if q == nil || !q.Writes() || f.Effect(s) == nil {
			continue
		}
		is := func(c string) bool { return lock.SameName(c, column) }
		_, sets := q.Set(is)
		if _, tests := q.Test(is); !sets || tests || q.Guarded || !hands(f, s, q, value) {
			continue
		}
		r := p.Report(s, rule.Likely, rule.Warning, fix, message)
		r.Related = append(r.Related, rule.Related{Pos: st.Pos, Text: "the number is compared here"})
		return
	}
}

// measures are words of what rises for its own sake: the highest bid, the last time.
const measures = "price bid amount total count balance level qty quantity size length age rating score at time ts date timestamp updated modified seen until expires limit stock max min best weight capacity attempts retries"

// hands reports whether a statement is handed a value, or sets something to it.
func hands(f *lock.Function, s *lock.Site, q *lock.Query, value *ir.Expr) (found bool) {
	path := value.Path()
	for _, a := range append(f.Bound(s), s.Call.Args...) {
		a.Each(func(e *ir.Expr) bool {
			found = found || (e.Kind == ir.Name || e.Kind == ir.Member) && e.Path() == path
			return !found
		})
	}
	for _, set := range q.Sets {
		found = found || set.Value == "{"+strings.TrimPrefix(path, "$")+"}"
	}
	return found
}

// A compared is a comparison of two fences that decides about what follows.
type compared struct {
	at, end ir.Pos
	leaves  bool     // what follows is only reached where it holds, or does not
	objects []string // what the fences are parts of
}

// comparison finds the branch that compares two fences, nil if there is none.
func comparison(f *lock.Function) (c *compared) {
	stored := f.StoredFences()
	f.EachStmt(func(s *ir.Stmt) {
		if s.Does != ir.If || c != nil || s.X == nil {
			return
		}
		s.X.Each(func(e *ir.Expr) bool {
			if c == nil && e.Kind == ir.Binary && (e.Name == "<" || e.Name == ">" || e.Name == "<=" || e.Name == ">=") && fences(f, e, stored) {
				c = &compared{at: s.Pos, end: s.End, leaves: lock.Exits(s.Body) || lock.Exits(s.Else), objects: []string{object(e.X), object(e.Args[0])}}
			}
			return c == nil
		})
	})
	return c
}

// behind is the call of a helper that compares two fences, and raises or returns an error
// by what it finds, nil if there is none: the write stands in its caller.
func behind(f *lock.Function) *compared {
	for _, s := range f.Sites {
		g := f.Callee(s)
		if g == nil || g == f || g.Watches() || g.LocksRow() || locked(g) {
			continue
		}
		c := comparison(g)
		if c == nil || !refuses(g, c) || slices.ContainsFunc(g.Sites, func(inner *lock.Site) bool { return g.Effect(inner) != nil }) {
			continue
		}
		return &compared{at: s.Stmt().Pos, end: s.Stmt().End, leaves: true}
	}
	return nil
}

// refuses reports whether the branch of a comparison ends its function with an error.
func refuses(g *lock.Function, c *compared) (found bool) {
	fails := slices.ContainsFunc(g.Results, func(r ir.Param) bool { return r.Type == "error" })
	g.EachStmt(func(s *ir.Stmt) {
		if s.Pos > c.at && s.End <= c.end {
			found = found || s.Does == ir.Raise || fails && s.Does == ir.Return
		}
	})
	return found
}

// object is what a value is a part of: row of row.fence.
func object(e *ir.Expr) string {
	if e.Kind == ir.Member || e.Kind == ir.Index {
		return e.X.Path()
	}
	return ""
}

// fences reports whether a comparison is one of two fences: one of them is named like
// one, or was read from a column that is.
func fences(f *lock.Function, e *ir.Expr, stored map[string]bool) bool {
	left, right := f.PartName(e.X), f.PartName(e.Args[0])
	if left == "" || right == "" || !f.Stands(e, stored) {
		return false
	}
	return lock.IsFence(left) || lock.IsFence(right) || stored[left] && lock.IsOrdered(right) || stored[right] && lock.IsOrdered(left)
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
func writes(f *lock.Function, s *lock.Site, c *compared) bool {
	e := f.Effect(s)
	switch {
	case e == nil:
		return false
	case e.Kind == lock.CacheFill:
		return f.Rewrites(s)
	case e.Kind != lock.Write || e.Query == nil && e.Guarded:
		return false
	case e.Query == nil:
		return e.Object == "" || slices.Contains(c.objects, e.Object)
	case e.Query.Builder:
		_, tests := e.Query.Test(lock.IsFence)
		return !tests && !e.Query.Guarded
	}
	return !e.Fenced && (e.Query.Verb == "update" || e.Query.Conflict == "update")
}
