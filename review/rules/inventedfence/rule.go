// Package inventedfence finds fences that are made of a clock, of random bits or of
// a counter in the process.
package inventedfence

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
	Name: "invented-fence", Number: 5, Doc: doc, Check: check,
	Summary: "a fence made of a clock, a UUID, random bits or a local counter",
}

func check(p *rule.Pass) {
	ranked := ranks(p)
	isFence := func(name string) bool { return isFence(name) || ranked[strings.ToLower(name)] }
	fields(p, isFence)
	granted(p)
	for _, f := range p.Functions {
		f.EachStmt(func(s *ir.Stmt) {
			for _, to := range s.To {
				if isFence(to.Name) && len(s.To) == 1 {
					made(p, f, s.X)
					if f.File.Language == ir.SQL && s.X != nil && clockText(string(f.File.Source[s.X.Pos:s.X.End])) {
						p.ReportAt(f.File, s.Pos, rule.Certain, rule.Error, fix, "this number is used as a fence, and a clock can go back: a later holder may get the lower number and be refused, or the stale one the higher and win")
					}
				}
			}
			if s.X != nil {
				s.X.Each(func(e *ir.Expr) bool {
					for i, k := range e.Keys {
						if isFence(k) {
							made(p, f, e.Args[i])
						}
					}
					if s.Does == ir.If {
						ordered(p, f, e)
					}
					return true
				})
			}
		})
		for _, s := range f.Sites {
			compared(p, f, s)
			for i, a := range s.Call.Args {
				if isFence(f.ParamName(s.Call, i)) {
					made(p, f, a)
				}
			}
		}
	}
}

// granted looks at what the functions return that take a lock, where a statement compares
// fences: what is counted in the process can be nothing else.
func granted(p *rule.Pass) {
	if !slices.ContainsFunc(p.Functions, comparesFence) {
		return
	}
	for _, l := range p.Locks {
		for _, o := range l.Own(lock.Acquire) {
			o.In.EachStmt(func(s *ir.Stmt) {
				if s.Does != ir.Return || s.X == nil || s.Pos < o.Pos() {
					return
				}
				s.X.Each(func(e *ir.Expr) bool {
					if in, at := o.In.Counter(e); at != nil {
						made(p, in, at)
						return false
					}
					return e.Kind != ir.Lambda
				})
			})
		}
	}
}

// comparesFence reports whether a function writes something only where the fence that stands
// there is no higher: in the table of the leases itself perhaps.
func comparesFence(f *lock.Function) bool {
	return slices.ContainsFunc(f.Sites, func(s *lock.Site) bool {
		q := f.Statement(s.Call)
		if q == nil || !q.Writes() {
			return false
		}
		test, ok := q.Compared(lock.IsFence)
		return ok && order[test.Op]
	})
}

// ranks are the columns of fences that statements of the unit compare by their order as
// they write: what is called like one in the program ends up there.
func ranks(p *rule.Pass) map[string]bool {
	ranked := map[string]bool{}
	for _, f := range p.Functions {
		for _, s := range f.Sites {
			q := f.Statement(s.Call)
			if q == nil || !q.Writes() || f.Effect(s) == nil {
				continue
			}
			if test, ok := q.Compared(lock.IsFence); ok && order[test.Op] {
				ranked[strings.ToLower(test.Column)] = true
			}
		}
	}
	judged(p, ranked)
	return ranked
}

// judged are the fences of statements that the program compares by their order before it
// writes them.
func judged(p *rule.Pass, ranked map[string]bool) {
	sets := map[string]bool{}
	for _, f := range p.Functions {
		for _, s := range f.Sites {
			if q := f.Statement(s.Call); q != nil && q.Writes() && f.Effect(s) != nil && (!q.Builder || f.File.Language != ir.Go) {
				for _, set := range q.Sets {
					sets[strings.ToLower(set.Column)] = true
				}
			}
		}
	}
	for _, f := range p.Functions {
		f.EachStmt(func(s *ir.Stmt) {
			if s.Does != ir.If {
				return
			}
			s.X.Each(func(e *ir.Expr) bool {
				if e.Kind == ir.Binary && order[e.Name] && f.Stands(e, nil) {
					for _, x := range []*ir.Expr{e.X, e.Args[0]} {
						if name := strings.ToLower(f.PartName(x)); lock.IsFence(name) && sets[name] {
							ranked[name] = true
						}
					}
				}
				return true
			})
		})
	}
}

// fields looks at what the fields of classes are given by their declarations.
func fields(p *rule.Pass, isFence func(string) bool) {
	for _, file := range p.Files {
		for _, c := range file.Classes {
			for _, field := range c.Fields {
				if isFence(field.Name) && field.Value != nil {
					made(p, p.Top(file), initial(field.Value))
				}
			}
		}
	}
}

// initial is what a field is given by its declaration: by a factory perhaps.
func initial(e *ir.Expr) *ir.Expr {
	factory := e.Named("default_factory")
	switch {
	case factory == nil:
		return e
	case factory.Kind == ir.Lambda && len(factory.Func.Body) == 1:
		return factory.Func.Body[0].X
	}
	return &ir.Expr{Kind: ir.Call, Pos: factory.Pos, End: factory.End, X: factory}
}

// ordered looks at a comparison in the program: the number that is stored with that of
// the caller. What is called a generation, an epoch or a term and counted in the process may
// be a matter of the process alone, where no lock is near: which entries a sweep leaves.
func ordered(p *rule.Pass, f *lock.Function, e *ir.Expr) {
	if e.Kind != ir.Binary || !order[e.Name] || !f.Stands(e, nil) || !lock.IsFence(lock.PartName(e.X)) || !lock.IsFence(lock.PartName(e.Args[0])) {
		return
	}
	for _, x := range []*ir.Expr{e.X, e.Args[0]} {
		if _, counted := f.Counter(x); counted != nil && len(p.Locks) == 0 && !isFence(lock.PartName(e.X)) && !isFence(lock.PartName(e.Args[0])) {
			return
		}
	}
	made(p, f, e.X)
	made(p, f, e.Args[0])
}

var order = map[string]bool{"<": true, "<=": true, ">": true, ">=": true}

const fix = "take the number from the store, in the step that grants the lock: a sequence, INCR, the revision of the key"

// clockText reports whether a value in SQL is made of a clock or at random.
func clockText(value string) bool {
	value = strings.ReplaceAll(strings.ToLower(value), " ", "")
	for _, call := range []string{"extract(epoch", "clock_timestamp(", "unix_timestamp(", "unixepoch(", "gen_random_uuid(", "uuid(", "random(", "rand("} {
		if strings.Contains(value, call) {
			return true
		}
	}
	return false
}

func isFence(name string) bool { return lock.HasWord(name, "fence fencing fencetoken fencingtoken") }

// compared looks at what is handed to a statement that compares a fence.
func compared(p *rule.Pass, f *lock.Function, s *lock.Site) {
	q := f.Statement(s.Call)
	if q == nil {
		return
	}
	if set, ok := q.Set(isFence); ok && clockText(set.Value) {
		p.Report(s, rule.Certain, rule.Error, fix, "this number is used as a fence, and a clock can go back: a later holder may get the lower number and be refused, or the stale one the higher and win")
	}
	test, ok := q.Compared(lock.IsFence)
	if !ok || !order[test.Op] {
		rising(p, f, s, q)
		return
	}
	for _, a := range append(f.Bound(s), s.Call.Args...) {
		a.Each(func(e *ir.Expr) bool {
			if named(e) {
				made(p, f, e)
			}
			return e.Kind != ir.Lambda
		})
	}
}

// rising looks at a statement that sets a column to a value if that is higher than what
// stands there, whatever the column is called: a time may be there for its own sake, what is
// random or counted in the process can't.
func rising(p *rule.Pass, f *lock.Function, s *lock.Site, q *lock.Query) {
	for _, set := range q.Sets {
		test, ok := q.Compared(func(column string) bool { return column == set.Column })
		if !ok || !order[test.Op] {
			continue
		}
		args := append(f.Bound(s), s.Call.Args...)
		for _, a := range append(twice(args), under(args, set.Column)...) {
			_, random := f.Random(a)
			_, counted := f.Counter(a)
			if random != nil || counted != nil || lock.IsOrdered(set.Column) || lock.HasWord(set.Column+" "+lock.PartName(a), "turn round ticket granted ordinal rank rev revision") {
				made(p, f, a)
			}
		}
		return
	}
}

// under are the values that a statement is handed under the name of a column.
func under(args []*ir.Expr, column string) (list []*ir.Expr) {
	for _, a := range args {
		a.Each(func(e *ir.Expr) bool {
			if x := e.Named(column); x != nil && e.Kind == ir.Map {
				list = append(list, x)
			}
			return e.Kind != ir.Lambda
		})
	}
	return list
}

// twice are the values that a statement is handed in two places.
func twice(args []*ir.Expr) (list []*ir.Expr) {
	seen := map[string]int{}
	for _, a := range args {
		a.Each(func(e *ir.Expr) bool {
			if path := e.Path(); path != "" && (e.Kind == ir.Name || e.Kind == ir.Member) {
				if seen[path]++; seen[path] == 2 {
					list = append(list, e)
				}
				return false
			}
			return e.Kind != ir.Lambda
		})
	}
	return list
}

// named reports whether a value that is handed in is called like a fence, or comes
// from a function that is.
func named(e *ir.Expr) bool {
	name := e.Name
	if e.Kind == ir.Call {
		name = e.Method()
	}
	return (e.Kind == ir.Name || e.Kind == ir.Member || e.Kind == ir.Call) && lock.HasWord(name, "token fence fencing epoch term generation version")
}

// made reports where a fence comes from, if that cannot order two holders.
func made(p *rule.Pass, f *lock.Function, x *ir.Expr) {
	if v := f.Resolve(x); v.Kind == ir.Map && v.Expr != nil { // of a fence with a name, its number
		for i, a := range v.Args {
			if lock.IsOrdered(v.Key(i)) {
				made(p, v.In, a)
			}
		}
		return
	}
	why := ""
	in, at := f.Clock(x)
	switch {
	case at != nil:
		why = "two hosts' clocks differ, and one can go back: a later holder may get the lower number and be refused, or the stale one the higher and win"
	default:
		if in, at = f.Random(x); at != nil {
			why = "it is in no order: whether a stale holder is refused is a matter of luck"
		} else if in, at = f.Counter(x); at != nil {
			why = "every process counts for itself and from the start again: two holders get the same number"
		}
	}
	if at == nil {
		return
	}
	p.ReportAt(in.File, at.Pos, rule.Certain, rule.Error,
		fix,
		"this number is used as a fence, and %s", why)
}
