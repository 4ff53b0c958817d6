package lock

import (
	"slices"
	"strings"

	"github.com/ringfence-go/ringfence/review/query"
)

// findLeased finds the tables whose rows are leases, whatever they are called: a row is
// handed from one owner to the next together with the time until which it is theirs,
// and given back by its owner.
func (u *Unit) findLeased() {
	for _, f := range u.Functions {
		for _, s := range f.Sites {
			if q := f.statement(s.Call); q != nil && q.Table != "" {
				table := leaseTable(q.Table)
				u.sent[table] = append(u.sent[table], sent{f, s, q})
			}
		}
	}
	handed, given := map[string]bool{}, map[string]bool{} // given back, or asked for
	for table, list := range u.sent {
		for _, one := range list {
			handed[table] = handed[table] || one.q.hands()
			given[table] = given[table] || one.q.gives(hasWord(one.f.Name, givingVerbs)) || one.q.asks()
		}
	}
	for table := range handed {
		u.leased[table] = handed[table] && given[table]
	}
	u.findBusy()
	u.findFlags()
	u.findRoles()
	for table, r := range u.roles {
		u.leased[table] = u.leased[table] || len(r.holders) > 0
	}
}

// sent is a statement, and where it is sent.
type sent struct {
	f *Function
	s *Site
	q *Query
}

func leaseTable(name string) string { return strings.ToLower(shortType(name)) }

// hands reports whether a statement gives a row that may be there already to an owner,
// for a time.
func (q *Query) hands() bool {
	if q.Verb != "update" && q.Verb != "upsert" && q.Conflict != "update" {
		return false
	}
	owner, set := q.Set(isHolder)
	_, until := q.Set(isUntil)
	return set && until && owner.Value != "nil" && owner.Value != "null"
}

// gives reports whether a statement takes a row away from its owner. Back says that the
// function around it is there to do so.
func (q *Query) gives(back bool) bool {
	_, owned := q.Test(isHolder)
	switch q.Verb {
	case "delete":
		return owned || back
	case "update", "upsert":
		return q.ends(nil)
	}
	return false
}

// asks reports whether a statement looks whether a row is somebody's now.
func (q *Query) asks() bool {
	_, owned := q.Test(isHolder)
	_, until := q.Test(isUntil)
	return q.Verb == "select" && owned && until
}

var (
	holderWords = wordSet("owner holder who worker locker lockedby acquirer leasedby claimedby heldby takenby")
	takenWords  = wordSet("locked leased claimed taken reserved held busy owned free lease lock reservation claim hold")
	untilWords  = wordSet("until expires expiry expire expiration lapses ends")
)

func isHolder(column string) bool {
	list := words(column)
	return hasWord(column, holderWords) || column == "by" || slices.Contains(list, "by") && hasWord(column, takenWords)
}

func isUntil(column string) bool {
	list := words(column)
	return hasWord(column, untilWords) || slices.Contains(list, "at") && hasWord(column, takenWords)
}

// onlyNotes reports whether the column that a statement sets to a time, until, only notes when
// the row was taken: nothing compares it.
func (u *Unit) onlyNotes(q *Query, until string, timed map[string]bool) bool {
	_, ends := q.Set(func(column string) bool {
		return bare(column) == until && (!isUntil(column) || hasWord(column, untilWords))
	})
	return !ends && !timed[until] && !u.orders(until)
}

// orders reports whether a statement compares a column by its order.
func (u *Unit) orders(column string) bool {
	for _, list := range u.sent {
		for _, one := range list {
			if slices.ContainsFunc(one.q.Where, func(p query.Pair) bool { return bare(p.Column) == column && isOrder(p.Op) }) {
				return true
			}
		}
	}
	return false
}
