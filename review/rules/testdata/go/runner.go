package cases

import (
	"context"
	"database/sql"
	"fmt"
)

type Runner struct{ db *sql.DB }

func (r *Runner) lock(ctx context.Context, id int64) (bool, error) {
	var ok bool
	err := r.db.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", id).Scan(&ok) // want 13
	return ok, err
}

func (r *Runner) unlock(ctx context.Context, id int64) {
	_, _ = r.db.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", id) // want 10
}

func (r *Runner) Migrate(ctx context.Context) error {
	ok, err := r.lock(ctx, 99)
	if err != nil || !ok {
		return fmt.Errorf("not now: %v", err)
	}
	defer r.unlock(ctx, 99)
	_, err = r.db.ExecContext(ctx, "UPDATE schema_state SET version = version + 1") // want 4
	return err
}
