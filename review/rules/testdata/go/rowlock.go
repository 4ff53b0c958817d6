package cases

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

type rowLock struct{ pool *pgxpool.Pool }

func (r rowLock) try(ctx context.Context, name string) (bool, error) {
	var tag pgconn.CommandTag
	tag, err := r.pool.Exec(ctx, `INSERT INTO worker_locks (name, owner) VALUES ($1, 'w') ON CONFLICT DO NOTHING`, name) // want 3
	return err == nil && tag.RowsAffected() == 1, err
}

func (r rowLock) free(ctx context.Context, name string) error {
	_, err := r.pool.Exec(ctx, `DELETE FROM worker_locks WHERE name = $1`, name) // want 1
	return err
}

func (r rowLock) Settle(ctx context.Context, db *sql.DB, id string) error {
	ok, err := r.try(ctx, "settle")
	if err != nil || !ok {
		return err
	}
	defer r.free(ctx, "settle")
	_, err = db.ExecContext(ctx, "UPDATE trades SET settled = true WHERE id = $1", id) // want 4
	return err
}
