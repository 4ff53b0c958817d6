package sqlguard

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// marks reads and writes the mark of one resource inside a transaction.
type marks struct {
	dialect  Dialect
	resource string
}

// lock takes the lock under which the mark is decided on, and then reads the
// mark and the highest token that the database's clock allows. In SQLite that
// is the lock of the whole database, taken before anything is read, so that no
// snapshot can be too old to write; in PostgreSQL it is the row's.
func (s marks) lock(ctx context.Context, tx *sql.Tx) (guard.Mark, fence.Token, error) {
	var m guard.Mark
	var token, seq, ms int64
	err := tx.QueryRowContext(ctx, s.dialect.sql("lock"), s.resource).Scan(&m.Lease, &token, &seq, &m.Key, &ms)
	if errors.Is(err, sql.ErrNoRows) { // SQLite, where RETURNING has nothing to return
		err = tx.QueryRowContext(ctx, s.dialect.sql("clock")).Scan(&ms)
	}
	m.Token, m.Seq = fence.Token(token), uint64(seq)
	return m, futureLimit(ms), err
}

// futureLimit is the guard's limit at a clock of the database.
func futureLimit(ms int64) fence.Token { return fence.FutureLimit(fence.TickOf(time.UnixMilli(ms))) }

// create makes the first mark of a resource, and reports whether nobody else had.
func (s marks) create(ctx context.Context, tx *sql.Tx, m guard.Mark) (bool, error) {
	n, err := affected(tx.ExecContext(ctx, s.dialect.sql("create"), s.resource, m.Lease, int64(m.Token), int64(m.Seq), m.Key))
	return n == 1, err
}

// store replaces the locked mark, and under Sequenced keeps the last write of
// its term as well.
func (s marks) store(ctx context.Context, tx *sql.Tx, r guard.Rule, m guard.Mark) error {
	args := []any{s.resource, int64(m.Token), int64(m.Seq), m.Key}
	statement := "store"
	if r == guard.Sequenced && m.Seq > 0 {
		if s.dialect == SQLite {
			if _, err := tx.ExecContext(ctx, s.dialect.sql("store_term"), args...); err != nil {
				return err
			}
		} else {
			statement = "store_sequenced"
		}
	}
	n, err := affected(tx.ExecContext(ctx, s.dialect.sql(statement), args...))
	if err == nil && n != 1 {
		err = fmt.Errorf("the mark that this transaction has locked is gone: %d rows stored", n)
	}
	return err
}

// last reads the last write that a term made, 0 where it made none.
func (s marks) last(ctx context.Context, tx *sql.Tx, token fence.Token) (seq uint64, key string, err error) {
	err = tx.QueryRowContext(ctx, s.dialect.sql("landed"), s.resource, int64(token)).Scan(&seq, &key)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return seq, key, err
}

func affected(r sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}
