package lock

import (
	"slices"
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/query"
)

// findBusy finds the tables whose rows are locks by being there: a row is inserted, which
// only one can do, or put where none was found, and deleted when the work is done, whatever
// comes of it.
func (u *Unit) findBusy() {
	for table, list := range u.sent {
		for _, one := range list {
			if one.q.Verb == "insert" && (one.f.removed(table) || u.removedAfter(one.f, table)) && one.f.refused(one.s, one.q) || one.f.puts(one.s.Call) && one.f.looked(one.s, table) && u.removedAfter(one.f, table) {
				u.leased[table], u.busy[table] = true, true
			}
		}
	}
}

// puts reports whether a call writes a whole document, whether or not there is one.
func (f *Function) puts(e *ir.Expr) bool {
	name := normal(e.Method())
	return (name == "replaceone" || name == "replace_one") && (&Site{Call: e, In: f}).option("upsert").Is("true")
}

// looked reports whether a look at a table before a site decides by leaving whether it is
// reached: there is a row already.
func (f *Function) looked(s *Site, table string) bool {
	return slices.ContainsFunc(f.Unit.sent[table], func(one sent) bool {
		if one.f != f || one.q.Verb != "select" || one.q.ForUpdate || one.s.Pos() >= s.Pos() {
			return false
		}
		look, leaves := &Op{Site: one.s}, false
		f.eachStmt(func(st *ir.Stmt) {
			leaves = leaves || st.Does == ir.If && st.Pos >= one.s.Stmt().Pos && st.End <= s.Pos() && look.testIn(st.X) && !negated(st.X) && exits(st.Body)
		})
		return leaves
	})
}

// removedAfter reports whether the row of a table is deleted in the end by what has called a
// function.
func (u *Unit) removedAfter(f *Function, table string) bool {
	return slices.ContainsFunc(u.sent[table], func(one sent) bool {
		return one.q.Verb == "delete" && one.f != f && u.cleansAfter(f, one.f)
	})
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
		if st.Does == ir.If && st.Pos >= s.Stmt().Pos {
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
func (f *Function) removed(table string) bool {
	return slices.ContainsFunc(f.Unit.sent[table], func(one sent) bool {
		return one.f == f && one.q.Verb == "delete" && one.s.Cleanup() && !one.s.onFailure()
	})
}

// findFlags finds the tables with a column that says that somebody works: it is set where it
// was not, and cleared when the work is done.
func (u *Unit) findFlags() {
	for table, list := range u.sent {
		for _, one := range list {
			if one.q.Verb != "update" {
				continue
			}
			for _, set := range one.q.Sets {
				if isRaised(set.Value) && one.f.asksFlag(one.s, one.q, set.Column) && u.isLowered(one.f, one.q, set.Column) {
					u.rolesOf(table).holders[bare(set.Column)] = true
					u.raised[table] = true
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
	for _, one := range f.Unit.sent[leaseTable(q.Table)] {
		look := one.q
		if one.f != f || one.s.Pos() >= s.Pos() || look.Verb != "select" || look.ForUpdate {
			continue
		}
		if slices.ContainsFunc(look.Columns, func(c string) bool { return bare(c) == bare(column) }) && (&Op{Site: one.s}).decides(&Op{Site: s}) {
			return true
		}
	}
	return false
}

// isLowered reports whether another statement clears a column of the table when the work is
// done: in the end of what set it, or of what has called that.
func (u *Unit) isLowered(f *Function, q *Query, column string) bool {
	named := hasWord(column, lockWords) || hasWord(column, takenWords)
	for _, one := range u.sent[leaseTable(q.Table)] {
		lowers := one.q != q && slices.ContainsFunc(one.q.Sets, func(p query.Pair) bool {
			return bare(p.Column) == bare(column) && isNobody(strings.ToLower(p.Value))
		})
		if lowers && (named || one.f == f && one.s.Cleanup() || one.f != f && u.cleansAfter(f, one.f)) {
			return true
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
