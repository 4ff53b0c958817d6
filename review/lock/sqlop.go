package lock

import (
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/query"
)

// Scope says how long an advisory lock of a database lasts.
type scope uint8

const (
	sessionTake scope = iota + 1
	sessionGive
	transaction
)

// advisory are the functions of databases that lock a number or a name.
var advisory = map[string]scope{
	"pg_advisory_lock": sessionTake, "pg_try_advisory_lock": sessionTake, "pg_advisory_lock_shared": sessionTake, "pg_try_advisory_lock_shared": sessionTake,
	"pg_advisory_unlock": sessionGive, "pg_advisory_unlock_all": sessionGive, "pg_advisory_unlock_shared": sessionGive,
	"pg_advisory_xact_lock": transaction, "pg_try_advisory_xact_lock": transaction, "pg_advisory_xact_lock_shared": transaction,
	"get_lock": sessionTake, "release_lock": sessionGive, "release_all_locks": sessionGive,
	"sp_getapplock": sessionTake, "sp_releaseapplock": sessionGive,
}

// Words of the columns of a lock's row.
var (
	ownerColumns  = wordSet("owner holder who owned worker host locked_by lockedby instance token attempt leader node process pid holder_id owner_id instance_id session session_id lock_token by p_owner identity acquirer")
	expiryColumns = wordSet("expires expiry expire until ttl expiration deadline timeout heartbeat renewed free lapses ends released")
	fenceWords    = wordSet("fence fencing epoch term generation fencetoken fencingtoken gen revision")
)

// IsFence reports whether a column or a name is that of a fence.
func IsFence(name string) bool { return hasWord(name, fenceWords) }

// orderedWords name what is a fence where it is compared by its order.
var orderedWords = wordSet("token tokens version seq sequence ballot grant term epoch lease")

// IsOrdered reports whether a name may be that of a fence where it is compared with
// another by its order.
func IsOrdered(name string) bool { return IsFence(name) || hasWord(name, orderedWords) }

// comparesFence reports whether a statement compares a fence in its condition.
func (q *Query) comparesFence() bool {
	if _, ok := q.Test(IsFence); ok {
		return true
	}
	for _, p := range q.Where {
		if isOrder(p.Op) && IsOrdered(p.Column) && !IsExpiry(p.Column) {
			return true
		}
	}
	return q.onlyRises()
}

// onlyRises reports whether a statement sets a column to a value, and asks that what stands there
// is not above it: a fence, whatever it is called.
func (q *Query) onlyRises() bool {
	for _, p := range q.Where {
		set, ok := q.Set(func(column string) bool { return SameName(column, p.Column) })
		if ok && (p.Op == "<" || p.Op == "<=") && isSomebody(set.Value) && (p.Value == "" || isSomebody(p.Value)) && !IsExpiry(p.Column) && !hasWord(p.Column, timeWords) {
			return true
		}
	}
	return false
}

var timeWords = wordSet("at time date ts timestamp updated modified seen")

func isOrder(op string) bool { return op == "<" || op == "<=" || op == ">" || op == ">=" }

// IsOwner reports whether a column or a name says who holds a lock.
func IsOwner(name string) bool {
	return ownerColumns[strings.ToLower(name)] || hasWord(name, ownerColumns)
}

// IsExpiry reports whether a column or a name says until when a lock is held.
func IsExpiry(name string) bool { return hasWord(name, expiryColumns) }

// queryOp reads what a statement does with a lock, nil if it has nothing to do with one.
func (f *Function) queryOp(s *Site, q *Query) *Op {
	for _, c := range q.Calls {
		if sc := advisory[c]; sc != 0 {
			return f.advisoryOp(s, q, c, sc)
		}
	}
	if !f.isLockTable(q) {
		return nil
	}
	op := &Op{Site: s, Family: Table, SQL: q.Statement, Conn: q.Conn, Key: strings.ToLower(shortType(q.Table)), Gives: f.gives(0)}
	op.Do = f.tableDo(q)
	if f.File.Language == ir.SQL && s.Use == Dropped {
		s.filled(q)
	}
	if op.Do == 0 {
		return nil
	}
	if _, ok := q.Set(f.Unit.roles[leaseTable(q.Table)].expiry); ok {
		op.TTL = TTL{Set: true, Expr: s.Call}
	}
	return op
}

// filled gives a statement in a procedure the use of the variables that it fills.
func (s *Site) filled(q *Query) {
	switch {
	case len(q.Into) > 0:
		s.Use, s.Names = Assigned, q.Into
	case q.Verb == "perform":
		s.Use, s.Names = Assigned, []string{"found"}
	}
}

func (f *Function) advisoryOp(s *Site, q *Query, name string, sc scope) *Op {
	op := &Op{Site: s, Family: Advisory, SQL: q.Statement, Conn: q.Conn, Gives: f.gives(0), Key: "advisory"}
	op.TTL.Set = true
	switch sc {
	case sessionTake:
		op.Do = Acquire
		if strings.Contains(name, "try") || name == "get_lock" || name == "sp_getapplock" {
			op.Gives |= value
		}
	case sessionGive:
		op.Do = GiveUp
		op.Gives |= value
	case transaction:
		return nil
	}
	if strings.Contains(strings.ToLower(q.Text), "transaction") && name == "sp_getapplock" {
		return nil
	}
	return op
}

// isLockTable tells a table of locks by its name, or by columns that say who has
// locked the row and until when.
func (f *Function) isLockTable(q *Query) bool {
	if f.Unit.leased[leaseTable(q.Table)] {
		return true
	}
	if hasWord(q.Table, lockTables) && !(q.Builder && !q.Item && !f.isModel(q)) {
		return true
	}
	if _, free := q.Test(func(c string) bool { return c == "attribute_not_exists" }); free {
		_, owner := q.Set(IsOwner)
		_, until := q.Set(IsExpiry)
		return owner && until
	}
	owner, until := false, false
	for _, list := range [][]query.Pair{q.Sets, q.Where} {
		for _, p := range list {
			locks := hasWord(p.Column, lockWords) || strings.Contains(strings.ToLower(p.Column), "locked") || strings.Contains(strings.ToLower(p.Column), "lease")
			owner = owner || locks && IsOwner(p.Column)
			until = until || locks && (IsExpiry(p.Column) || strings.HasSuffix(p.Column, "_at"))
		}
	}
	return owner && until
}

var lockTables = wordSet("lock locks lease leases mutex mutexes leader leaders leadership shedlock joblock joblocks semaphore semaphores latch latches")

// isModel reports whether what a builder writes to is a table or a model, not
// something else that is named after a lock.
func (f *Function) isModel(q *Query) bool {
	t := shortType(q.Table)
	if c := f.Unit.classes[t]; c != nil {
		return f.Unit.isEntity(t)
	}
	return q.Conn != nil && (!isUpper(t) || q.named) || q.Builder && f.isMappedName(t)
}

// modelWords name where mapped classes are kept.
var modelWords = wordSet("model models entity entities schema schemas orm")

// isMappedName reports whether a name stands for a model that is defined by a call,
// or imported from where models are kept.
func (f *Function) isMappedName(name string) bool {
	if i, ok := f.File.Imported(name); ok {
		return hasWord(i.Path, modelWords)
	}
	d, ok := f.lookup(name, f.End)
	return ok && d.x != nil && (d.x.Method() == "model" || d.x.Method() == "define")
}

// isEntity reports whether a class is a row: it has columns of a lock, or is the
// repository of a class that has.
func (u *Unit) isEntity(class string) bool { return u.isEntityWithin(class, 6) }

// isEntityWithin looks so many levels up: two classes of one name in different modules may
// seem to extend each other.
func (u *Unit) isEntityWithin(class string, depth int) bool {
	c := u.classes[class]
	if c == nil || depth == 0 {
		return false
	}
	for _, field := range c.Fields {
		if IsExpiry(field.Name) || ownerColumns[strings.ToLower(field.Name)] {
			return true
		}
	}
	for _, b := range c.Bases {
		b = strings.ReplaceAll(b, "::", ".")
		if u.isEntityWithin(b, depth-1) || b == "ApplicationRecord" || b == "ActiveRecord.Base" || strings.HasSuffix(b, "models.Model") || b == "Model" {
			return true
		}
	}
	return false
}

func (f *Function) tableDo(q *Query) Do {
	r := f.Unit.roles[leaseTable(q.Table)]
	owner, hasOwner := q.Test(r.owner)
	_, setsOwner := q.Set(r.owner)
	_, testsExpiry := q.Test(r.expiry)
	_, testsFence := q.Test(IsFence)
	_, setsExpiry := q.Set(r.expiry)
	free := hasOwner && (owner.Op == "is" || isNobody(strings.ToLower(owner.Value))) || testsExpiry
	switch q.Verb {
	case "select", "perform":
		return Read
	case "insert":
		if !setsOwner && !setsExpiry && !q.ensures && !hasWord(q.Table, lockTables) && !f.Unit.busy[leaseTable(q.Table)] {
			return 0 // a row that others lease later
		}
		return tableInsert(q, setsOwner || setsExpiry)
	case "merge", "replace", "upsert":
		if _, free := q.Test(func(c string) bool { return c == "attribute_not_exists" }); free {
			return Acquire
		}
		if q.Builder && q.ends(r) {
			return Release
		}
		return Put
	case "delete":
		return tableDelete(q, hasOwner || testsFence, testsExpiry)
	case "update":
		switch {
		case setsOwner && free:
			return Acquire
		case hasOwner || testsFence:
			if setsExpiry && !q.ends(r) {
				return Renew
			}
			return GiveUp
		case q.ends(r):
			return Release
		case setsOwner || setsExpiry:
			return Put
		}
	}
	return 0
}

// tableInsert tells an insert that takes a free lock from one that overwrites whoever
// has it, and from one that only sees to it that there is a row.
func tableInsert(q *Query, takes bool) Do {
	if q.Builder && q.ensures && !takes {
		return Read
	}
	if q.Conflict == "update" && q.Verb == "insert" && !q.conditional() {
		return Put
	}
	return Acquire
}

// conditional reports whether the conflict clause of an insert asks for something:
// by its own WHERE, or in a value.
func (q *Query) conditional() bool {
	for _, p := range q.Where {
		if p.Conflict {
			return true
		}
	}
	for _, p := range q.Sets {
		if p.Conflict && (strings.Contains(p.Value, "if(") || strings.Contains(p.Value, "if (") || strings.Contains(p.Value, "case ")) {
			return true
		}
	}
	return false
}

// ends reports whether an update sets the owner to nobody, or the expiry to the past.
func (q *Query) ends(r *roles) bool {
	owner, _ := q.Set(r.owner)
	until, _ := q.Set(r.expiry)
	return isNobody(owner.Value) || isPast(until.Value) && owner.Column == ""
}

// tableDelete tells a release from a clean-up of what has expired.
func tableDelete(q *Query, owned, expired bool) Do {
	switch {
	case owned:
		return GiveUp
	case expired || len(q.Where) == 0:
		return 0
	}
	return Release
}
