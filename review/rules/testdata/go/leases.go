package cases

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	lookQuery = `SELECT owner, expires_at FROM job_lease WHERE job = $1`
	takeQuery = `INSERT INTO job_lease (job, owner, expires_at) VALUES ($1, $2, $3)
		ON CONFLICT (job) DO UPDATE SET owner = $2, expires_at = $3`
	dropQuery = `DELETE FROM job_lease WHERE job = $1`
)

type Leases struct{ pool *pgxpool.Pool }

func (l *Leases) Take(ctx context.Context, job, me string, d time.Duration) (bool, error) {
	var owner string
	var until time.Time
	err := l.pool.QueryRow(ctx, lookQuery, job).Scan(&owner, &until)
	if err == nil && time.Now().Before(until) && owner != me { // want 6
		return false, nil
	}
	_, err = l.pool.Exec(ctx, takeQuery, job, me, time.Now().Add(d)) // want 3 6
	return err == nil, err
}

func (l *Leases) Drop(ctx context.Context, job string) error {
	_, err := l.pool.Exec(ctx, dropQuery, job) // want 1
	return err
}
