package testdata

import (
	"context"

	"github.com/go-redis/redis/v8"
	"github.com/jmoiron/sqlx"
	"time"
)

func Run(ctx context.Context, db *sqlx.DB, rdb *redis.Client) error {
	ok, err := rdb.SetNX(ctx, "reset-lock", "a", time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	q, args, err := sqlx.Named(`UPDATE quotas SET used = 0 WHERE tenant_id = :id`, map[string]any{"id": 1})
	if err != nil {
		return err
	}
	q = db.Rebind(q)
	_, err = db.ExecContext(ctx, q, args...) // want 4
	return err
}
