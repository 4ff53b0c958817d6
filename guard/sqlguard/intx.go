package sqlguard

import (
	"context"
	"database/sql"
	"errors"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/internal/sqlfault"
)

// Beginner begins transactions: *sql.DB, or *sql.Conn where they have to run on one
// connection.
type Beginner interface {
	BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error)
}

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
	_, err = g.EstablishInTx(ctx, db.db, f, fn)
	return err
}

// EstablishInTx is [Guard.InTx] for a write that begins its term: it establishes f,
// runs fn, and commits, in one transaction. It is for the rule Latest, under which
// whatever has established may write.
func (g *Guard) EstablishInTx(ctx context.Context, db Beginner, f fence.Fence, fn func(*sql.Tx) error) (fence.Verdict, error) {
	if g.rule != guard.Latest {
		return fence.Verdict{}, invalid("rule %s: to establish admits nothing under it; want latest", g.rule)
	}
	establish := func(tx *sql.Tx, again bool) (fence.Verdict, error) { return g.establish(ctx, tx, f, again) }
	v, err := g.about(f).transact(ctx, db, g.dialect, establish, fn)
	return g.counted(v), err
}

// transact runs judge and then fn in one transaction, and commits it.
func (s subject) transact(
	ctx context.Context, db Beginner, d Dialect,
	judge func(tx *sql.Tx, again bool) (fence.Verdict, error), fn func(*sql.Tx) error,
) (fence.Verdict, error) {
	tx, v, err := s.judged(ctx, db, d, judge)
	if err != nil {
		return v, err
	}
	defer tx.Rollback() // also when fn panics; after the commit it does nothing
	if v.Outcome == fence.Duplicate {
		return v, nil
	}
	if fn != nil {
		if outcome, err := s.carryOut(ctx, tx, d, fn); err != nil {
			return fence.Verdict{Outcome: outcome, Resource: s.Resource, Fence: s.Fence}, err
		}
	}
	if err := ctx.Err(); err != nil { // the commit is not sent
		return s.broken(err)
	}
	commit := tx.Commit
	if d == MySQL {
		commit = func() error { return sqlfault.Commit(ctx, tx) }
	}
	if err := commit(); err != nil {
		return sqlfault.VerdictOf(s.Committed(ctx, err))
	}
	return v, nil
}

// judged begins a transaction with judge. In MySQL, to look for a mark that is not
// there locks the gap that it would be in, for others that look too. When they create
// theirs there they are in each other's way, and all but one are ended: they begin
// anew, and create before they look.
func (s subject) judged(
	ctx context.Context, db Beginner, d Dialect, judge func(tx *sql.Tx, again bool) (fence.Verdict, error),
) (*sql.Tx, fence.Verdict, error) {
	for try := 1; ; try++ {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			v, err := s.broken(err)
			return nil, v, err
		}
		v, err := judge(tx, try > 1)
		if err == nil {
			return tx, v, nil
		}
		_ = tx.Rollback()
		if d != MySQL || try == tries || sqlfault.MySQLNumber(err) != sqlfault.Deadlock || ctx.Err() != nil {
			return nil, v, err
		}
	}
}

// tries is how often a transaction that does nothing but judge begins anew.
const tries = 8

// carryOut runs fn, and says what its failure means. In MySQL a savepoint around it
// shows whether the transaction lasted: a statement that defines something, such as
// CREATE TABLE, commits it, and a deadlock ends it; what follows then is under no
// lock and is committed at once.
func (s subject) carryOut(ctx context.Context, tx *sql.Tx, d Dialect, fn func(*sql.Tx) error) (fence.Outcome, error) {
	if d != MySQL {
		return fence.Unavailable, s.Effect(fn(tx))
	}
	if _, err := tx.ExecContext(ctx, "SAVEPOINT ringfence_guard"); err != nil {
		return fence.Unavailable, s.Inside(err)
	}
	err := fn(tx)
	if err != nil && sqlfault.Classify(err) == sqlfault.Transient {
		return fence.Unavailable, s.Effect(err)
	}
	_, lost := tx.ExecContext(ctx, "RELEASE SAVEPOINT ringfence_guard")
	switch {
	case errors.Is(lost, sql.ErrTxDone) && ctx.Err() == nil, sqlfault.MySQLNumber(lost) == sqlfault.NoSavepoint:
		return fence.Unknown, errors.Join(err, s.Committed(ctx, lost))
	case err == nil && lost != nil:
		return fence.Unavailable, s.Inside(lost)
	}
	return fence.Unavailable, err
}
