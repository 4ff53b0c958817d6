package cases

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

type Task struct {
	Owner   string
	Expires time.Time
}

func Pinned(ctx context.Context, pool *pgxpool.Pool) error {
	c, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	if _, err := c.Exec(ctx, "SELECT pg_advisory_lock(4)"); err != nil {
		return err
	}
	defer func() { _, err = c.Exec(ctx, "SELECT pg_advisory_unlock(4)") }()
	_, err = c.Exec(ctx, "UPDATE jobs SET ran = now()")
	return err
}

func Unpinned(ctx context.Context, pool *pgxpool.Pool) error {
	if err := one(ctx, pool, "SELECT pg_advisory_lock($1)", 4); err != nil { // want 13
		return err
	}
	return one(ctx, pool, "SELECT pg_advisory_unlock($1)", 4)
}

func one(ctx context.Context, pool *pgxpool.Pool, q string, args ...any) error {
	c, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	_, err = c.Exec(ctx, q, args...)
	return err
}

func Claim(ctx context.Context, db *sql.DB, name, owner string, d time.Duration) (int64, error) {
	const q = `INSERT INTO tasks (name, owner, fence, expires_at) VALUES ($1, $2, 1, now() + $3::interval)
		ON CONFLICT (name) DO UPDATE SET owner = $2, fence = tasks.fence + 1, expires_at = now() + $3::interval
		WHERE tasks.expires_at < now() RETURNING fence`
	var fence int64
	err := db.QueryRowContext(ctx, q, name, owner, d.String()).Scan(&fence)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return fence, err
}

func GiveBack(ctx context.Context, db *sql.DB, name, owner string, fence int64) error {
	res, err := db.ExecContext(ctx, `UPDATE tasks SET expires_at = now() WHERE name = $1 AND owner = $2 AND fence = $3`, name, owner, fence)
	if err != nil {
		return err
	}
	if n, _ := res.RowsAffected(); n == 0 {
		return errors.New("lost")
	}
	return nil
}
