package lock

import (
	"slices"
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/query"
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

// findFlags finds the tables with a column that says that somebody works: it is set where it
// was not, and cleared when the work is done.
func (u *Unit) findFlags() {
	for _, f := range u.Functions {
		for _, s := range f.Sites {
			q := f.statement(s.Call)
			if q == nil || q.Verb != "update" || q.Table == "" {
				continue
			}
			for _, set := range q.Sets {
				if isRaised(set.Value) && f.asksFlag(s, q, set.Column) && u.isLowered(f, q, set.Column) {
					u.rolesOf(q.Table).holders[bare(set.Column)] = true
					u.raised[leaseTable(q.Table)] = true
				}
			}
		}
	}
}

// isRaised reports whether a column is set to what says that something is so.
func isRaised(value string) bool {
	switch strings.ToLower(strings.Trim(value, "'\"")) {
	case "1", "true", "t", "y", "yes", "on", "running", "busy", "locked", "taken":
		return true
	}
	return false
}

// asksFlag reports whether a statement only sets a column where it is not set, or follows a
// look at it that decides about the statement.
func (f *Function) asksFlag(s *Site, q *Query, column string) bool {
	for _, p := range q.Where {
		if bare(p.Column) == bare(column) && (p.Op == "is" || isNobody(strings.ToLower(p.Value)) || p.Op == "<>" || p.Op == "!=") {
			return true
		}
	}
	for _, other := range f.Sites {
		if other.Pos() >= s.Pos() {
			break
		}
		look := f.statement(other.Call)
		if look == nil || look.Verb != "select" || leaseTable(look.Table) != leaseTable(q.Table) || look.ForUpdate {
			continue
		}
		if slices.ContainsFunc(look.Columns, func(c string) bool { return bare(c) == bare(column) }) && (&Op{Site: other}).decides(&Op{Site: s}) {
			return true
		}
	}
	return false
}

// isLowered reports whether another statement clears a column of the table when the work is
// done: in the end of what set it, or of what has called that.
func (u *Unit) isLowered(f *Function, q *Query, column string) bool {
	named := hasWord(column, lockWords) || hasWord(column, takenWords)
	for _, g := range u.Functions {
		for _, s := range g.Sites {
			other := g.statement(s.Call)
			if other == nil || other == q || leaseTable(other.Table) != leaseTable(q.Table) {
				continue
			}
			lowers := slices.ContainsFunc(other.Sets, func(p query.Pair) bool {
				return bare(p.Column) == bare(column) && isNobody(strings.ToLower(p.Value))
			})
			if lowers && (named || g == f && s.Cleanup() || g != f && u.cleansAfter(f, g)) {
				return true
			}
		}
	}
	return false
}

// cleansAfter reports whether a function calls one that sets and, in its end, one that clears.
func (u *Unit) cleansAfter(set, clear *Function) bool {
	for _, f := range u.Functions {
		sets, clears := false, false
		for _, s := range f.Sites {
			switch s.Call.Method() {
			case set.Name:
				sets = sets || u.callee(f, s.Call) == set
			case clear.Name:
				clears = clears || s.Cleanup() && u.callee(f, s.Call) == clear
			}
		}
		if sets && clears {
			return true
		}
	}
	return false
}
