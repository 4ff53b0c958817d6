package lock

import (
	"slices"
	"strings"

	"github.com/ringfence-go/ringfence/review/query"
)

// Vacant reports whether an op takes a row that is there to be a lock if it is nobody's, and
// asks for nothing else: whoever has it has it until it is given back.
func (o *Op) Vacant() bool {
	if o.SQL == nil || o.SQL.Verb != "update" || !hasWord(o.SQL.Table, lockTables) {
		return false
	}
	owner, asks := o.SQL.Test(o.IsOwner)
	return asks && (owner.Op == "is" || isNobody(strings.ToLower(owner.Value)))
}

// Unending reports whether no statement about a lock says until when it is held or asks how
// long it has been, and the program compares nothing that an op sets with its clock.
func (l *Lock) Unending(o *Op) bool {
	for _, other := range l.Ops {
		if other.SQL == nil {
			continue
		}
		if _, until := other.SQL.Set(IsExpiry); until || slices.ContainsFunc(other.SQL.Where, aging) {
			return false
		}
	}
	timed, _ := o.In.Unit.compared()
	return !slices.ContainsFunc(o.SQL.Sets, func(p query.Pair) bool { return timed[bare(p.Column)] })
}

// aging reports whether a condition is one on what has an order, and is no fence: how long ago
// a row was taken, say.
func aging(p query.Pair) bool { return isOrder(p.Op) && !IsFence(p.Column) }
