package lock

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
)

// findBusy finds the tables whose rows are locks by being there: a row is inserted, which
// only one can do, and deleted when the work is done, whatever comes of it.
func (u *Unit) findBusy() {
	for _, f := range u.Functions {
		for _, s := range f.Sites {
			q := f.statement(s.Call)
			if q != nil && q.Verb == "insert" && q.Table != "" && f.refused(s, q) && f.removed(s, leaseTable(q.Table)) {
				u.leased[leaseTable(q.Table)] = true
				u.busy[leaseTable(q.Table)] = true
			}
		}
	}
}

// refused reports whether it is seen when an insert fails because the row is there already.
func (f *Function) refused(s *Site, q *Query) bool {
	if q.Conflict == "nothing" {
		return s.Use != Dropped
	}
	for _, c := range s.Handlers() {
		if refusal(c.Type) || statementsMention(c.Body, refusal) {
			return true
		}
	}
	found := false
	f.eachStmt(func(st *ir.Stmt) {
		if st.Does == ir.If && st.Pos >= s.Stmt().Pos && st.Pos < s.Stmt().End+400 {
			st.X.Each(func(x *ir.Expr) bool {
				found = found || refusal(x.Name)
				return !found
			})
		}
	})
	return found
}

func statementsMention(list []*ir.Stmt, match func(string) bool) (found bool) {
	ir.EachExpr(list, func(e *ir.Expr) bool {
		found = found || match(e.Name)
		return !found
	})
	return found
}

// refusal reports whether a name or a number is that of the error of a row, a node or a key
// which is there already.
func refusal(name string) bool {
	name = strings.ToLower(joined.Replace(name))
	for _, part := range []string{"duplicate", "alreadyexists", "nodeexists", "uniqueviolation", "integrityerror", "uniqueconstraint", "recordnotunique", "constraintviolation", "sqlstate23505", "dataintegrity", "isuniqueerror"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return name == "11000" || name == "23505" || name == "1062" || name == "p2002" || name == "erdupentry" || name == "23000"
}

// removed reports whether the row of a table is deleted in the end, whatever has come of
// the work.
func (f *Function) removed(take *Site, table string) bool {
	for _, s := range f.Sites {
		if q := f.statement(s.Call); q != nil && q.Verb == "delete" && leaseTable(q.Table) == table && s.Cleanup() && !s.onFailure() {
			return true
		}
	}
	return false
}
