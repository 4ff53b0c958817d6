package txsafe

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

func Renumber(ctx context.Context, pool *pgxpool.Pool, series int64) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "select pg_advisory_xact_lock($1)", series); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "update series set last = last + 1 where id = $1", series)
		return err
	})
}

func Pinned(ctx context.Context, pool *pgxpool.Pool, fn func(*pgx.Conn) error) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	var ok bool
	if err := conn.QueryRow(ctx, "select pg_try_advisory_lock(7)").Scan(&ok); err != nil || !ok {
		return err
	}
	if err := fn(conn.Conn()); err != nil {
		return err
	}
	return conn.QueryRow(ctx, "select pg_advisory_unlock(7)").Scan(&ok)
}
