package tableguard

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

var (
	//go:embed postgres/marks.sql
	marks string
	//go:embed postgres/marks_lock.sql
	lockMarks string
	//go:embed postgres/marks_raise.sql
	raiseMarks string
)

// Marks sums up the marks in db of the leases whose names begin with prefix. Where no
// table was ever guarded there are none.
func Marks(ctx context.Context, db *sql.DB, prefix string) (guard.Marks, error) {
	var m guard.Marks
	var present bool
	err := db.QueryRowContext(ctx, "SELECT to_regclass('ringfence.guard_mark') IS NOT NULL").Scan(&present)
	if err == nil && present {
		err = db.QueryRowContext(ctx, marks, prefix).Scan(&m.Count, &m.Highest)
	}
	if err != nil {
		err = fmt.Errorf("read the marks of guarded tables: %w: %w", guard.ErrUnavailable, err)
	}
	return m, err
}

// RaiseMarks raises those of them that are lower to a token, as if a term of each
// lease had begun with it, and returns how many. Nothing older can land afterwards.
// It raises nothing to a token that lies a day beyond the database's clock.
func RaiseMarks(ctx context.Context, db *sql.DB, prefix string, to fence.Token) (int, error) {
	if !to.Valid() {
		return 0, fmt.Errorf("%w token %s to raise marks to: want 1 to %d", fence.ErrInvalid, to, fence.MaxToken)
	}
	n, err := raiseAll(ctx, db, prefix, to)
	if err != nil {
		err = fmt.Errorf("raise the marks of guarded tables to %s: %w: %w", to, guard.ErrUnavailable, err)
	}
	return int(n), err
}

func raiseAll(ctx context.Context, db *sql.DB, prefix string, to fence.Token) (int64, error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, lockMarks, prefix); err != nil {
		return 0, err
	}
	result, err := tx.ExecContext(ctx, raiseMarks, prefix, int64(to))
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	if err != nil {
		return 0, err
	}
	return n, tx.Commit()
}
