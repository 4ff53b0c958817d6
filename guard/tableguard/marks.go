package tableguard

import (
	"context"
	"fmt"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// Marks sums up the marks of the leases whose names begin with prefix. Where no table
// was ever guarded there are none.
func (d *DB) Marks(ctx context.Context, prefix string) (guard.Marks, error) {
	var m guard.Marks
	if _, err := d.system(); err != nil {
		return m, err
	}
	present, err := d.present(ctx)
	if err == nil && present {
		err = d.db.QueryRowContext(ctx, d.dialect.sql("marks"), prefix).Scan(&m.Count, &m.Highest)
	}
	if err != nil {
		err = fmt.Errorf("read the marks of guarded tables: %w: %w", guard.ErrUnavailable, err)
	}
	return m, err
}

// RaiseMarks raises those of them that are lower to a token, as if a term of each
// lease had begun with it, and returns how many. Nothing older can land afterwards.
// It raises nothing to a token that lies a day beyond the database's clock.
func (d *DB) RaiseMarks(ctx context.Context, prefix string, to fence.Token) (int, error) {
	if _, err := d.system(); err != nil {
		return 0, err
	}
	if !to.Valid() {
		return 0, fmt.Errorf("%w token %s to raise marks to: want 1 to %d", fence.ErrInvalid, to, fence.MaxToken)
	}
	n, err := d.raise(ctx, prefix, to)
	if err != nil {
		err = fmt.Errorf("raise the marks of guarded tables to %s: %w: %w", to, guard.ErrUnavailable, err)
	}
	return int(n), err
}

func (d *DB) raise(ctx context.Context, prefix string, to fence.Token) (int64, error) {
	tx, err := d.db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	before, args := "marks_keep", []any{prefix, int64(to)}
	if d.dialect == Postgres {
		before, args = "marks_lock", args[:1]
	}
	if _, err := tx.ExecContext(ctx, d.dialect.sql(before), args...); err != nil {
		return 0, err
	}
	result, err := tx.ExecContext(ctx, d.dialect.sql("marks_raise"), prefix, int64(to))
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	if err != nil {
		return 0, err
	}
	return n, tx.Commit()
}
