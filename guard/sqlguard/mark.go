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
// mark and the database's clock. In SQLite that
// is the lock of the whole database, taken before anything is read, so that no
// snapshot can be too old to write; in PostgreSQL and MySQL it is the row's.
func (s marks) lock(ctx context.Context, tx *sql.Tx) (guard.Mark, time.Time, error) {
	var m guard.Mark
	var token, seq, ms int64
	statement, args := s.dialect.statement("lock", s.resource)
	err := tx.QueryRowContext(ctx, statement, args...).Scan(&m.Lease, &token, &seq, &m.Key, &ms)
	if errors.Is(err, sql.ErrNoRows) { // SQLite, where RETURNING has nothing to return, and MySQL
		return s.absent(ctx, tx)
	}
	m.Token, m.Seq = fence.Token(token), uint64(seq)
	return m, time.UnixMilli(ms), err
}

// absent is what lock reads where there is no mark.
func (s marks) absent(ctx context.Context, tx *sql.Tx) (guard.Mark, time.Time, error) {
	now, err := clock(ctx, tx, s.dialect)
	return guard.Mark{}, now, err
}

// create makes the first mark of a resource, and reports whether nobody else had.
func (s marks) create(ctx context.Context, tx *sql.Tx, m guard.Mark) (bool, error) {
	statement, args := s.dialect.statement("create", s.resource, m.Lease, int64(m.Token), int64(m.Seq), m.Key)
	n, err := affected(tx.ExecContext(ctx, statement, args...))
	return n == 1, err
}

// store replaces the locked mark, and under Sequenced keeps the last write of
// its term as well.
func (s marks) store(ctx context.Context, tx *sql.Tx, r guard.Rule, m guard.Mark) error {
	args := []any{s.resource, int64(m.Token), int64(m.Seq), m.Key}
	statement := "store"
	if r == guard.Sequenced && m.Seq > 0 {
		if s.dialect == Postgres {
			statement = "store_sequenced"
		} else {
			term, rest := s.dialect.statement("store_term", args...)
			if _, err := tx.ExecContext(ctx, term, rest...); err != nil {
				return err
			}
		}
	}
	text, args := s.dialect.statement(statement, args...)
	n, err := affected(tx.ExecContext(ctx, text, args...))
	if err == nil && n != 1 {
		err = fmt.Errorf("the mark that this transaction has locked is gone: %d rows stored", n)
	}
	return err
}

// last reads the last write that a term made, 0 where it made none.
func (s marks) last(ctx context.Context, tx *sql.Tx, token fence.Token) (seq uint64, key string, err error) {
	statement, args := s.dialect.statement("landed", s.resource, int64(token))
	err = tx.QueryRowContext(ctx, statement, args...).Scan(&seq, &key)
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
