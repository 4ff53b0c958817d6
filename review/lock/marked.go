package lock

import (
	"slices"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/query"
)

// markedStatements gives the methods of a mapper the statements that stand in their
// annotations: @Update("UPDATE slot SET ...") int take(...).
func (u *Unit) markedStatements() {
	for _, f := range u.Functions {
		for _, m := range f.Marks {
			if m.Kind != ir.Call || len(m.Args) == 0 {
				continue
			}
			if text, ok := f.fold(m.Args[0]); !ok || !query.Looks(text) {
				continue
			}
			site := &Site{Call: m, In: f, Path: []Step{{Stmt: &ir.Stmt{Does: ir.Return, Pos: m.Pos, End: m.End, X: m}}}, Use: Returned}
			f.Sites = append(f.Sites, site)
		}
	}
}

// Marked reports whether an op is that of an annotation: its arguments are those of the calls
// of the method.
func (o *Op) Marked() bool { return slices.Contains(o.In.Marks, o.Call) }
