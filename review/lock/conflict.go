package lock

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// Calls and options by which builders say that a row which is there already is left alone.
var (
	ignoring       = wordSet("on_conflict_do_nothing onConflictDoNothing on_conflict_ignore onDuplicateKeyIgnore orIgnore doNothing insertOrIgnore insert_ignore insert_conflict")
	ignoringOption = wordSet("ignoreduplicates skipduplicates ignore_conflicts donothing")
)

// conflict notes what a chain says of a row that is there already.
func (q *Query) conflict(e *ir.Expr, above map[*ir.Expr]*ir.Expr) {
	for x := e; x != nil && x.Kind == ir.Call; x = x.Receiver() {
		q.conflictAt(x)
	}
	for x, n := above[e], 0; x != nil && n < 12; x, n = above[x], n+1 {
		q.conflictAt(x)
	}
}

func (q *Query) conflictAt(x *ir.Expr) {
	name := x.Method()
	ignores := ignoring[name] || (name == "ignore" || name == "Ignore") && x.Receiver() != nil
	if text, ok := x.Arg(0).Literal(); ok && name == "On" { // of bun
		ignores = strings.HasSuffix(strings.ToUpper(strings.TrimSpace(text)), "DO NOTHING")
	}
	for i, k := range x.Keys {
		ignores = ignores || ignoringOption[strings.ToLower(k)] && x.Args[i].Is("true")
	}
	for _, a := range x.Args {
		updates := isClause(a, "OnConflict")
		for i, k := range a.Keys {
			ignores = ignores || a.Kind == ir.Map && ignoringOption[strings.ToLower(k)] && a.Args[i].Is("true")
		}
		if updates && !ignores {
			q.Conflict = "update"
		}
		if a.Kind == ir.Lambda && name == "onConflict" { // of kysely
			ir.EachExpr(a.Func.Body, func(e *ir.Expr) bool {
				ignores = ignores || ignoring[e.Method()]
				return !ignores
			})
		}
	}
	if ignores {
		q.Conflict = "nothing"
	}
}
