package lock

import "strings"

// roles are what the columns of a table are for, by what is done with them, whatever
// they are called: which says who has the row, and which until when, or since when only.
type roles struct{ holders, untils, noted map[string]bool }

// rolesOf are those of a table, which are filled in as they are found out.
func (u *Unit) rolesOf(table string) *roles {
	table = leaseTable(table)
	r := u.roles[table]
	if r == nil {
		r = &roles{holders: map[string]bool{}, untils: map[string]bool{}, noted: map[string]bool{}}
		u.roles[table] = r
	}
	return r
}

// bare is the name of a column or a member, however its words are joined.
func bare(name string) string {
	plain := strings.IndexFunc(name, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') }) < 0
	if plain {
		return name
	}
	return strings.Join(words(name), "")
}

// SameName reports whether two names are one, however their words are joined.
func SameName(a, b string) bool { return a == b || bare(a) == bare(b) }

func (r *roles) owner(column string) bool {
	return IsOwner(column) || r != nil && len(r.holders) > 0 && r.holders[bare(column)]
}

func (r *roles) expiry(column string) bool {
	return IsExpiry(column) || r != nil && len(r.untils) > 0 && r.untils[bare(column)]
}

// IsOwner reports whether a column of the row that an op is on says who holds it.
func (o *Op) IsOwner(column string) bool { return o.roles().owner(column) }

// IsExpiry reports whether a column of the row that an op is on says until when it is held.
func (o *Op) IsExpiry(column string) bool { return o.roles().expiry(column) }

func (o *Op) roles() *roles {
	if o.SQL == nil {
		return nil
	}
	return o.In.Unit.roles[leaseTable(o.SQL.Table)]
}

// IsExpiry reports whether a column, or a member of what was read, says until when the
// lock is held, and not only since when.
func (l *Lock) IsExpiry(name string) bool {
	return IsExpiry(name) || len(l.Ops) > 0 && l.Ops[0].IsExpiry(name) && !l.Ops[0].roles().noted[bare(name)]
}

// findRoles finds the columns by which rows are handed from one owner to the next for a
// time: one that is set to somebody, together with one that is set to a time, where the
// row is nobody's or that time is over.
func (u *Unit) findRoles() {
	for _, list := range u.sent {
		for _, one := range list {
			f, s, q := one.f, one.s, one.q
			if len(q.Sets) < 2 || q.Verb == "select" || q.Verb == "delete" {
				continue
			}
			timed, asked := u.compared()
			until := f.untilOf(s, q, timed)
			if until == "" {
				continue
			}
			for _, p := range q.Sets {
				h := bare(p.Column)
				given := (asked[h] || u.isCleared(q, h)) && timed[until] && saves[s.Call.Method()] || (q.Verb == "update" || p.Conflict || q.asksAbsent() && !q.isAbsent(h)) && u.isGivenUp(q, h, until) || q.puts(h) && u.isHandedBack(f, q, h)
				if h != until && isSomebody(p.Value) && given {
					r := u.rolesOf(q.Table)
					r.holders[h], r.untils[until], r.noted[until] = true, true, u.onlyNotes(q, until, timed)
				}
			}
		}
	}
}

// asksAbsent reports whether a statement only does something where an attribute is not there.
func (q *Query) asksAbsent() bool {
	_, ok := q.Test(func(column string) bool { return column == "attribute_not_exists" })
	return ok
}

// isAbsent reports whether an item of DynamoDB is only put where it has no such attribute:
// its key, then.
func (q *Query) isAbsent(column string) bool {
	for i, p := range q.Where[:max(0, len(q.Where)-1)] {
		if p.Column == "attribute_not_exists" && bare(q.Where[i+1].Column) == column {
			return q.Verb == "upsert"
		}
	}
	return false
}

// untilOf is the column that a statement sets to a time and compares with another one,
// or that the program compares with its clock; "" if there is none.
func (f *Function) untilOf(s *Site, q *Query, timed map[string]bool) string {
	for _, set := range q.Sets {
		c := bare(set.Column)
		if isUntil(set.Column) || timed[c] && (isTime(set.Value) || saves[s.Call.Method()] || f.addsTime(s) || f.notesTime(s)) {
			return c
		}
		for _, test := range q.Where {
			if bare(test.Column) != c || !isOrder(test.Op) {
				continue
			}
			if isTime(set.Value) && isTime(test.Value) && set.Value != test.Value || !(isTime(set.Value) && isTime(test.Value)) && (isTime(set.Value) && !isPlaceholder(test.Value) || f.addsTime(s)) {
				return c
			}
		}
	}
	return ""
}

// isTime reports whether a value of SQL is made of the clock of the database.
func isTime(value string) bool {
	value = strings.ReplaceAll(strings.ToLower(value), " ", "")
	for _, clock := range []string{"now(", "current_timestamp", "clock_timestamp(", "statement_timestamp(", "sysdate", "systimestamp", "getdate(", "getutcdate(", "unix_timestamp(", "datetime('now", "unixepoch(", "strftime(", "julianday(", "localtimestamp", "$$now"} {
		if strings.Contains(value, clock) {
			return true
		}
	}
	return false
}

func isPlaceholder(value string) bool {
	return value == "" || strings.ContainsAny(value[:1], "$?:@%\x00{")
}

// isSomebody reports whether a value that a column is set to is no constant.
func isSomebody(value string) bool {
	if value == "" || isTime(value) {
		return false
	}
	switch value[0] {
	case '\'':
		return strings.ContainsAny(value, "\x00{$")
	case '%', '?', ':', '@', '$', 0:
		return true
	}
	if strings.ContainsAny(value, " +-*/(") && !strings.HasPrefix(value, "{") {
		return false
	}
	switch strings.ToLower(value) {
	case "null", "nil", "true", "false", "default", "''":
		return false
	}
	return value[0] < '0' || value[0] > '9'
}

// isGivenUp reports whether a column that says who has a row is asked for nobody where
// the row is taken, or is cleared or asked for by another statement about the table.
func (u *Unit) isGivenUp(q *Query, holder, until string) bool {
	for _, p := range q.Where {
		if bare(p.Column) == holder && (p.Op == "is" || isNobody(p.Value)) || p.Column == "attribute_not_exists" {
			return true
		}
		if bare(p.Column) == holder && p.Op == "=" && q.Builder {
			return true // or it is this one's already
		}
	}
	for _, one := range u.sent[leaseTable(q.Table)] {
		other := one.q
		if other == q || !other.Writes() {
			continue
		}
		for _, p := range other.Sets {
			if bare(p.Column) == holder && isNobody(p.Value) || bare(p.Column) == until && isPast(p.Value) {
				return true
			}
		}
		for _, p := range other.Where {
			if bare(p.Column) == holder && p.Op == "=" {
				return true
			}
		}
	}
	return false
}

// puts reports whether a builder writes a row whether or not there is one, and a column that
// does not tell which.
func (q *Query) puts(column string) bool {
	_, key := q.Test(func(c string) bool { return bare(c) == column })
	return q.Builder && !q.Item && q.Verb == "upsert" && !key
}

// isHandedBack reports whether another statement about the table only changes or deletes a
// row if it is somebody's, or sets it to nobody.
func (u *Unit) isHandedBack(f *Function, q *Query, holder string) bool {
	back := false
	for _, one := range u.sent[leaseTable(q.Table)] {
		equal := map[string]bool{}
		for _, p := range one.q.Where {
			equal[bare(p.Column)] = p.Op == "="
		}
		if one.f == f && one.q.Verb == "select" && equal[holder] {
			return false // by which the row is found
		}
		back = back || one.q != q && one.q.Writes() && equal[holder] && len(equal) > 1
	}
	return back || u.isCleared(q, holder)
}

// isCleared reports whether a column that says who has a row is set to nobody by another
// statement about the table.
func (u *Unit) isCleared(q *Query, holder string) bool {
	for _, one := range u.sent[leaseTable(q.Table)] {
		for _, p := range one.q.Sets {
			if one.q != q && bare(p.Column) == holder && isNobody(p.Value) {
				return true
			}
		}
	}
	return false
}

func isNobody(value string) bool {
	switch value {
	case "null", "''", "nil", "0", "false", "'n'", "'no'", "'idle'", "idle":
		return true
	}
	return false
}

// Flagged reports whether all that says that a row is taken is a flag, which knows no end.
func (o *Op) Flagged() bool { return o.SQL != nil && o.In.Unit.raised[leaseTable(o.SQL.Table)] }

// isPast reports whether a time that a row is given to is over at once.
func isPast(value string) bool {
	switch strings.ReplaceAll(value, " ", "") {
	case "now()", "null", "nil", "'epoch'", "current_timestamp", "clock_timestamp()", "0", "'-infinity'":
		return true
	}
	return false
}
