package sqlguard

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// Marks sums up the marks in db of the leases whose names begin with prefix. Where
// the tables of [Setup] are missing there are none. Fence columns are not among
// them: what they hold stands in tables of your own.
func Marks(ctx context.Context, db *sql.DB, d Dialect, prefix string) (guard.Marks, error) {
	var m guard.Marks
	if err := d.check(); err != nil {
		return m, err
	}
	var present bool
	err := db.QueryRowContext(ctx, d.sql("present")).Scan(&present)
	if err == nil && present {
		statement, args := d.statement("marks", prefix)
		err = db.QueryRowContext(ctx, statement, args...).Scan(&m.Count, &m.Highest)
	}
	return m, told("read the marks", err)
}

// RaiseMarks raises those of them that are lower to a token, as if a term of each
// lease had begun with it at the resource, and returns how many. Nothing older can
// land there afterwards. Like [Guard.Establish] it raises nothing to a token that
// lies a day beyond the database's clock.
func RaiseMarks(ctx context.Context, db *sql.DB, d Dialect, prefix string, to fence.Token) (int, error) {
	if err := d.check(); err != nil {
		return 0, err
	}
	if !to.Valid() {
		return 0, fmt.Errorf("%w token %s to raise marks to: want 1 to %d", fence.ErrInvalid, to, fence.MaxToken)
	}
	statement, args := d.statement("marks_raise", prefix, int64(to))
	n, err := affected(db.ExecContext(ctx, statement, args...))
	return int(n), told("raise the marks to "+to.String(), err)
}
