package tableguard

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/internal/sqlfault"
	"github.com/ringfence-go/ringfence/guard/internal/sqlrows"
)

// Reset moves the tables of a lease to a new incarnation, and returns the one that it
// ended. It waits for writes that are under way. Until a new term has established
// itself every write is refused as NotEstablished. A lease without a mark is refused:
// there is nothing to move, and any term may begin. In MySQL and SQLite nobody is
// barred: there an Above other than 0 matches errors.ErrUnsupported.
func (d *DB) Reset(ctx context.Context, lease string, r guard.Reset) (guard.Incarnation, error) {
	var ended guard.Incarnation
	if _, err := d.system(); err != nil {
		return ended, err
	}
	for _, err := range []error{fence.CheckName(lease), r.Check()} {
		if err != nil {
			return ended, err
		}
	}
	if d.dialect != Postgres && r.Above != 0 {
		return ended, fmt.Errorf("a token to reset above in %s: %w", d.dialect, errors.ErrUnsupported)
	}
	if present, err := d.present(ctx); err != nil || !present {
		return ended, about("reset a mark", errors.Join(err, noMark(lease)))
	}
	ended, err := d.reset(ctx, lease, r)
	return ended, about("reset the mark of the lease "+fence.Quote(lease), err)
}

func (d *DB) reset(ctx context.Context, lease string, r guard.Reset) (ended guard.Incarnation, err error) {
	tx, err := d.db.BeginTx(ctx, nil)
	if err != nil {
		return ended, err
	}
	defer tx.Rollback()
	if err := d.lockMark(ctx, tx, lease, r.Above); err != nil {
		return ended, err
	}
	steps, args := []string{"reset", "reset_delete"}, [][]any{{lease, r.Reason, r.By}, {lease}}
	if d.dialect == Postgres { // one statement, since the mark's row carries the bar
		steps, args = steps[:1], [][]any{append(args[0], int64(r.Above))}
	}
	for i, step := range steps {
		if _, err := tx.ExecContext(ctx, d.dialect.sql(step), args[i]...); err != nil {
			return ended, err
		}
	}
	all, err := sqlrows.Each(ctx, tx, d.dialect.sql("resets"), []any{lease}, incarnation)
	if err != nil {
		return ended, err
	}
	for _, i := range all { // of all leases whose names begin with this one's
		if i.Lease == lease {
			return i, tx.Commit()
		}
	}
	return ended, noMark(lease)
}

// lockMark keeps the writers of a lease out for the rest of tx. It refuses a bar that
// would close the resource as a poisoned mark does.
func (d *DB) lockMark(ctx context.Context, tx *sql.Tx, lease string, above fence.Token) error {
	if d.dialect == Postgres {
		if _, err := tx.ExecContext(ctx, d.dialect.sql("reset_alone"), lease); err != nil {
			return err
		}
	}
	var limit fence.Token
	err := tx.QueryRowContext(ctx, d.dialect.sql("reset_lock"), lease).Scan(&limit)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return noMark(lease)
	case err == nil && above >= limit:
		return fmt.Errorf("%w token %s to reset above: it lies more than a day ahead of the database's clock", fence.ErrInvalid, above)
	}
	return err
}

func incarnation(rows *sql.Rows) (i guard.Incarnation, err error) {
	var ms int64
	err = rows.Scan(&i.Lease, &i.Number, &i.Token, &i.Seq, &i.Above, &i.Reason, &i.By, &i.Role, &ms)
	i.Resource, i.At = i.Lease, time.UnixMilli(ms)
	return i, err
}

func noMark(lease string) error {
	return fmt.Errorf("%w lease %s: it has no mark here, so the next term that establishes itself begins", fence.ErrInvalid, fence.Quote(lease))
}

// Resets lists what [DB.Reset] has ended of the leases whose names begin with prefix,
// latest first.
func (d *DB) Resets(ctx context.Context, prefix string) ([]guard.Incarnation, error) {
	return read(ctx, d, "resets", prefix, incarnation)
}

// Above lists the marks above a token, highest first. Given the last token that the
// authority has issued, these were raised by a number that it did not.
func (d *DB) Above(ctx context.Context, to fence.Token) ([]guard.HighMark, error) {
	return read(ctx, d, "above", int64(to), func(rows *sql.Rows) (m guard.HighMark, err error) {
		var ms int64
		err = rows.Scan(&m.Lease, &m.Token, &ms)
		m.Resource, m.At = m.Lease, time.UnixMilli(ms)
		return m, err
	})
}

// TrustPromotions declares whether marks go on counting after a standby was promoted.
// Without it they count again once a term has established itself there, since a
// standby may lack what was committed last. Declare it where every standby that can be
// promoted is synchronous; a recovery to a point in time then isn't noticed either.
func (d *DB) TrustPromotions(ctx context.Context, trust bool) error {
	if d.dialect != Postgres {
		return fmt.Errorf("promotions of %s: %w", d.dialect, errors.ErrUnsupported)
	}
	_, err := d.db.ExecContext(ctx, d.dialect.sql("trust_promotions"), trust)
	return about("declare whether promotions are trusted", err)
}

func (d *DB) present(ctx context.Context) (present bool, err error) {
	err = d.db.QueryRowContext(ctx, d.dialect.sql("present")).Scan(&present)
	return present, err
}

// read reads the rows of a statement; there are none where no table was ever guarded.
func read[T any](ctx context.Context, d *DB, statement string, arg any, scan func(*sql.Rows) (T, error)) ([]T, error) {
	if _, err := d.system(); err != nil {
		return nil, err
	}
	var all []T
	present, err := d.present(ctx)
	if err == nil && present {
		all, err = sqlrows.Each(ctx, d.db, d.dialect.sql(statement), []any{arg}, scan)
	}
	return all, about("read what guards the tables", err)
}

// about is the failure of a step that concerns no single write.
func about(what string, err error) error {
	if err == nil || errors.Is(err, fence.ErrInvalid) {
		return err
	}
	kind := guard.ErrUnavailable
	if sqlfault.Classify(err) == sqlfault.Missing {
		kind = guard.ErrUnfit
	}
	return fmt.Errorf("%s: %w: %w", what, kind, err)
}
