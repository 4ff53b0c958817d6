package sqlguard

import (
	"context"
	"database/sql"
	"errors"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// DB is a database with its dialect. Make it with [On].
type DB struct {
	db      *sql.DB
	dialect Dialect
	counter guard.Counter
}

// On says what kind of database db is. A wrong dialect is refused by the first call.
func On(db *sql.DB, d Dialect) *DB { return &DB{db: db, dialect: d} }

// Counter is where verdicts of [InTx] on this database are counted.
func (d *DB) Counter() *guard.Counter { return &d.counter }

// InTx runs fn in one transaction that counts only while nothing newer has been
// at the resource: it establishes the fence (which creates the resource's mark
// the first time), runs fn, and commits. It follows the rule Latest; use a
// [Guard] with Sequenced where a write must not be applied twice.
//
// fn reads and writes as much as it likes and leaves commit and rollback to
// InTx. The mark stays locked until the end, so a newer holder waits for this
// transaction or this one is refused, before fn runs. When fn fails, nothing is
// applied, the mark is as it was, and fn's error is returned.
//
// The error is a *fence.RefusedError when the fence is refused: stop, unless
// its cause says otherwise. It matches guard.ErrUnknown when the reply to the
// commit was lost: read what fn wrote before doing it again.
func InTx(ctx context.Context, db *DB, f fence.Fence, resource string, fn func(tx *sql.Tx) error) error {
	g, err := New(db.dialect, resource, guard.Latest, &Options{Counter: &db.counter})
	if err != nil {
		return err
	}
	establish := func(tx *sql.Tx) (fence.Verdict, error) { return g.establish(ctx, tx, f) }
	v, err := g.about(f).transact(ctx, db.db, establish, fn)
	g.counted(v)
	return err
}

// transact runs judge and then fn in one transaction, and commits it.
func (s subject) transact(
	ctx context.Context, db *sql.DB,
	judge func(*sql.Tx) (fence.Verdict, error), fn func(*sql.Tx) error,
) (fence.Verdict, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return s.broken(err)
	}
	defer tx.Rollback() // also when fn panics; after the commit it does nothing
	v, err := judge(tx)
	if err != nil || v.Outcome == fence.Duplicate {
		return v, err
	}
	if fn != nil {
		if err := fn(tx); err != nil {
			return fence.Verdict{Outcome: fence.Unavailable, Resource: s.resource, Fence: s.fence}, s.effect(err)
		}
	}
	if err := ctx.Err(); err != nil { // the commit is not sent
		return s.broken(err)
	}
	if err := tx.Commit(); err != nil {
		return verdictOf(s.commit(ctx, err))
	}
	return v, nil
}

// broken is the answer to a failed statement of an open transaction.
func (s subject) broken(err error) (fence.Verdict, error) { return verdictOf(s.inside(err)) }

// verdictOf puts the verdict beside the error that it goes with.
func verdictOf(err error) (fence.Verdict, error) {
	var e *guard.Error
	if errors.As(err, &e) {
		return e.Verdict(), err
	}
	return fence.Verdict{}, err
}
