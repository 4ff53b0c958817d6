package lock

import (
	"slices"
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// addsTime reports whether what a statement is handed is made of the clock of the
// process with a time added to it, or taken off.
func (f *Function) addsTime(s *Site) (found bool) {
	look := func(list []*ir.Expr) {
		for _, a := range list {
			found = found || f.isSpan(a, 6)
		}
	}
	for x := s.Call; x != nil && x.Kind == ir.Call; x = x.Receiver() {
		look(x.Args)
	}
	look(f.Bound(s))
	if slices.Contains(f.Marks, s.Call) { // of an annotation: what its method is called with
		for _, g := range f.Unit.Functions {
			for _, other := range g.Sites {
				if other.Call.Method() == f.Name && len(other.Call.Args) == len(f.Params) {
					found = found || slices.ContainsFunc(other.Call.Args, func(a *ir.Expr) bool { return g.isSpan(a, 6) })
				}
			}
		}
	}
	return found
}

// isSpan reports whether a value has a sum in it of which a part is read off the clock.
func (f *Function) isSpan(e *ir.Expr, depth int) (found bool) {
	if depth == 0 {
		return false
	}
	e.Each(func(x *ir.Expr) bool {
		switch {
		case found || x.Kind == ir.Lambda:
			return false
		case isSum(x) || x.Kind == ir.Binary && x.Name == "-" || x.Kind == ir.Call && len(words(x.Method())) > 0 && shifts[words(x.Method())[0]]:
			_, at := f.Clock(x)
			found = at != nil || x.Kind == ir.Call && isFromNow(x)
		case x.Kind == ir.Name || x.Kind == ir.Member || x.Kind == ir.Call:
			if isFromNow(x) {
				found = true
			} else if v := f.resolve(x); v.Expr != nil && v.Expr != x {
				found = v.In.isSpan(v.Expr, depth-1)
			}
		}
		return !found
	})
	return found
}

var shifts = wordSet("plus minus add sub subtract advance ago since from")

// isFromNow reports whether a value is a time that is counted from now: 5.minutes.from_now.
func isFromNow(x *ir.Expr) bool {
	name := x.Name
	if x.Kind == ir.Call {
		name = x.Method()
	}
	return name == "from_now" || name == "ago" || name == "fromNow"
}

// compared are the names of what was read and is compared in the program: by its order
// with the clock of the process, or with somebody, or nobody.
func (u *Unit) compared() (timed, asked map[string]bool) {
	if u.timed != nil {
		return u.timed, u.asked
	}
	timed, asked = map[string]bool{}, map[string]bool{}
	for _, f := range u.Functions {
		f.eachStmt(func(s *ir.Stmt) {
			s.X.Each(func(e *ir.Expr) bool {
				if e.Kind == ir.Binary && comparisons[e.Name] {
					asked[memberName(e.X)], asked[memberName(e.Args[0])] = true, true
				}
				left, right := sides(e)
				if left == nil {
					return e.Kind != ir.Lambda
				}
				for _, pair := range [][2]*ir.Expr{{left, right}, {right, left}} {
					name := memberName(pair[0])
					if name == "" {
						name = f.aged(pair[0])
					} else if _, at := f.Clock(pair[1]); at == nil {
						continue
					}
					timed[name] = name != ""
				}
				return true
			})
		})
	}
	delete(asked, "")
	delete(timed, "")
	u.timed, u.asked = timed, asked
	return timed, asked
}

// sides are what an expression compares by its order; nil if it does not.
func sides(e *ir.Expr) (left, right *ir.Expr) {
	switch {
	case e.Kind == ir.Binary && isOrder(e.Name):
		return e.X, e.Args[0]
	case e.Kind == ir.Call && len(e.Args) == 1 && e.Receiver() != nil && compareTimes[e.Method()]:
		return e.Receiver(), e.Args[0]
	}
	return nil, nil
}

var compareTimes = wordSet("before after isBefore isAfter Before After compareTo isPast lt gt lessThan greaterThan")

// memberName is what a part of something is called: until of row.until, of row["until"],
// of rs.getTimestamp("until"); "" if it is no part.
func memberName(e *ir.Expr) string {
	for e != nil {
		switch e.Kind {
		case ir.Member:
			return bare(e.Name)
		case ir.Await, ir.Unary:
			e = e.X
		case ir.Name:
			return ""
		default:
			if e.Kind == ir.Call && len(e.Args) == 0 && e.Receiver() != nil && !transparent[e.Method()] {
				return bare(strings.TrimPrefix(e.Method(), "get"))
			}
			return bare(PartName(e))
		}
	}
	return ""
}
