package sqlguard

import (
	"context"
	"database/sql"
	"errors"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// Owned checks, in the same transaction as an effect, that a term is still the
// current one in the lease table. It is for programs whose leases live in the
// same database as their data; where they do, no mark is needed besides.
//
//	check := sqlguard.Owned{Dialect: sqlguard.Postgres}
//	if _, err := check.Admit(ctx, tx, lease.Fence()); err != nil {
//		return err // and roll back
//	}
//
// The lease's row stays locked until the transaction ends: a takeover waits for
// it, and in PostgreSQL and MySQL so do the holder's own renewals (in SQLite every other
// writer does). Keep such a transaction well shorter than the lease.
type Owned struct {
	Dialect Dialect // required
	// Strict also refuses a term that has expired by the database's clock although
	// nobody took over. Without it a late write that nobody superseded counts.
	Strict bool
	// Counter counts the verdicts. Defaults to none.
	Counter *guard.Counter
}

// Admit checks f as a part of tx; on an error roll tx back. A newer term in the
// table is Superseded. A term that was released or broken is Lapsed, and under
// Strict so is an expired one. A table that does not know the term is
// NotEstablished: its row was pruned, the table is an older copy, or the lease
// lives in another database.
func (o Owned) Admit(ctx context.Context, tx *sql.Tx, f fence.Fence) (fence.Verdict, error) {
	if err := o.Dialect.check(); err != nil {
		return fence.Verdict{}, err
	}
	v := fence.Verdict{Outcome: fence.Refused, Resource: "lease " + f.Name, Fence: f}
	if f.Check() != nil {
		v.Cause = fence.Invalid
		return o.conclude(v)
	}
	var token int64
	var state string
	var expired bool
	statement, args := o.Dialect.statement("owned", f.Name)
	err := tx.QueryRowContext(ctx, statement, args...).Scan(&token, &state, &expired)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		v, err := about(v.Resource, f).broken(err)
		o.Counter.Count(v)
		return v, err
	}
	v.Mark = fence.Token(token)
	switch {
	case f.Token < v.Mark:
		v.Cause = fence.Superseded
	case f.Token > v.Mark: // also where there is no row
		v.Cause = fence.NotEstablished
	case state != "held" || o.Strict && expired:
		v.Cause = fence.Lapsed
	default:
		v.Outcome = fence.Admitted
	}
	return o.conclude(v)
}

func (o Owned) conclude(v fence.Verdict) (fence.Verdict, error) {
	o.Counter.Count(v)
	return v, v.Err()
}
