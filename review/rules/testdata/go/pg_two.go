package two

import (
	"context"
	"log"

	"github.com/jackc/pgx/v5/pgxpool"
)

type Job struct{ pool *pgxpool.Pool }

func (j *Job) guard(ctx context.Context, id int64, fn func(context.Context) error) error {
	var ok bool
	if err := j.pool.QueryRow(ctx, "select pg_try_advisory_lock($1)", id).Scan(&ok); err != nil { // want 9 13
		log.Printf("guard: %v", err)
	} else if !ok {
		return nil
	}
	defer j.pool.Exec(ctx, "select pg_advisory_unlock($1)", id) // want 10
	return fn(ctx)
}
