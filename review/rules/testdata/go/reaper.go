package reaper

import (
	"context"
	"log"

	"github.com/jackc/pgx/v5/pgxpool"
)

const reaperLock int64 = 4411

func Reap(ctx context.Context, pool *pgxpool.Pool) error {
	var got bool
	if err := pool.QueryRow(ctx, "select pg_try_advisory_lock($1)", reaperLock).Scan(&got); err != nil { // want 13
		return err
	}
	if !got {
		return nil
	}
	defer func() {
		if _, err := pool.Exec(ctx, "select pg_advisory_unlock($1)", reaperLock); err != nil {
			log.Print(err)
		}
	}()
	_, err := pool.Exec(ctx, "delete from carts where touched < now() - interval '30 days'") // want 4
	return err
}
