package lock

import (
	"slices"
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// PartName is the last word of a value that is a part of something: fence of row.fence,
// of row["fence"], of int(row[0].fence), of grant.fence().
func PartName(e *ir.Expr) string {
	for e != nil {
		switch e.Kind {
		case ir.Name, ir.Member:
			return e.Name
		case ir.Await, ir.Unary:
			e = e.X
		case ir.Index:
			if n := len(e.Args); n > 0 {
				if text, ok := e.Args[n-1].Literal(); ok {
					return text
				}
			}
			e = e.X
		case ir.Call:
			switch {
			case len(e.Args) == 1 && (e.Receiver() == nil || isUpper(e.Receiver().Path())):
				e = e.Args[0] // a conversion
			case len(e.Args) == 0 && e.Receiver() != nil && !transparent[e.Method()]:
				return e.Method()
			case len(e.Args) == 1 && e.Receiver() != nil:
				text, _ := e.Args[0].Literal() // row.get("fence")
				return text
			case e.Receiver() != nil:
				e = e.Receiver()
			default:
				return ""
			}
		default:
			return ""
		}
	}
	return ""
}

// PartName is the last word of a value, as the function PartName has it, or the column
// that a helper of the unit reads and returns.
func (f *Function) PartName(e *ir.Expr) string {
	if e.Kind == ir.Call || e.Kind == ir.Await {
		for e.Kind == ir.Await {
			e = e.X
		}
		if g := f.Unit.callee(f, e); g != nil && g != f {
			for _, s := range g.Sites {
				if q := g.statement(s.Call); q != nil && q.Verb == "select" && len(q.Columns) == 1 {
					return q.Columns[0]
				}
			}
		}
	}
	return PartName(e)
}

// ParamName is what the function or the object of the unit that a call is for calls its
// i-th argument, "" if that is not known.
func (f *Function) ParamName(e *ir.Expr, i int) string {
	if e.Key(i) != "" {
		return e.Key(i)
	}
	if c := f.classMade(e); c != nil {
		for _, g := range f.Unit.Functions {
			if g.Func.Class == c && (constructors[g.Name] || g.Name == c.Name) {
				return g.paramAt(i)
			}
		}
		if i < len(c.Fields) {
			return c.Fields[i].Name
		}
		return ""
	}
	if g := f.Unit.callee(f, e); g != nil && g != f {
		return g.paramAt(i)
	}
	return ""
}

func (g *Function) paramAt(i int) string {
	if g.takesSelf() {
		i++
	}
	if i < len(g.Params) {
		return strings.TrimPrefix(g.Params[i].Name, "$")
	}
	return ""
}

// Bound are the values that are put into the prepared statement of a call by calls of
// its own: ps.setLong(1, fence), before ps.executeUpdate(), or further on in its chain.
func (f *Function) Bound(s *Site) (list []*ir.Expr) {
	statement := s.Call.Receiver().Path()
	for _, other := range f.Sites {
		if !hasWord(other.Call.Method(), bindVerbs) {
			continue
		}
		before := statement != "" && other.Call.Receiver().Path() == statement && other.Pos() < s.Pos()
		if before || inChain(other.Call, s.Call) {
			list = append(list, other.Call.Args...)
		}
	}
	return list
}

// inChain reports whether a call is made on what another one returned:
// sql(text).params(until).
func inChain(e, of *ir.Expr) bool {
	for x := e.Receiver(); x != nil && x.Kind == ir.Call; x = x.Receiver() {
		if x == of {
			return true
		}
	}
	return false
}

var bindVerbs = wordSet("set bind param params")

// StoredFences are the names that hold a fence which was read from where it is stored: by
// a statement that selects one.
func (f *Function) StoredFences() map[string]bool {
	names := map[string]bool{}
	for _, s := range f.Sites {
		q := f.statement(s.Call)
		if q == nil || q.Verb != "select" || len(q.Columns) == 0 {
			continue
		}
		fence := false
		for _, c := range q.Columns {
			fence = fence || IsFence(c)
		}
		for _, n := range append(s.Names, q.Into...) {
			names[n] = names[n] || fence && n != "err" && n != "_"
		}
	}
	return names
}

// Rewrites reports whether a call writes a key of Redis that the function has read.
func (f *Function) Rewrites(s *Site) bool {
	c := f.redisCommand(s.Call)
	if c == nil || c.Name != "SET" || c.NX || c.IfEq {
		return false
	}
	key := f.Key(c.Key)
	for _, other := range f.Sites {
		if other.Pos() >= s.Pos() {
			continue
		}
		if read := f.redisCommand(other.Call); read != nil && read.Name == "GET" && key != "" && f.Key(read.Key) == key {
			return true
		}
	}
	return false
}

// Stands reports whether a comparison may be one of a number that is stored with one that
// was handed out: one side is a part of something that the other is no part of, or was
// read. Epochs of a training, and what is counted to the best or the last of them, are
// compared with each other.
func (f *Function) Stands(e *ir.Expr, stored map[string]bool) bool {
	left, right := e.X, e.Args[0]
	for _, x := range []*ir.Expr{left, right} {
		if hasWord(PartName(x), counted) {
			return false
		}
		if x.Kind == ir.Name && stored[x.Name] {
			return true
		}
	}
	whole := func(x *ir.Expr) string {
		if x.Kind == ir.Member || x.Kind == ir.Index {
			return x.X.Path()
		}
		return ""
	}
	if left.Kind == ir.Name && right.Kind == ir.Name {
		return hasWord(left.Name+" "+right.Name, plainFences) || f.answered(left.Name) || f.answered(right.Name)
	}
	return whole(left) != whole(right) || whole(left) == ""
}

var counted = wordSet("best max min num total start warmup epochs n count")

var plainFences = wordSet("fence fencing token")

// answered reports whether a name is given what a call answers.
func (f *Function) answered(name string) bool {
	for _, s := range f.Sites {
		if slices.Contains(s.Names, name) {
			return true
		}
	}
	return false
}
