package p

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

type K struct {
	rdb  *redis.Client
	db   *sql.DB
	self string
}

func (k *K) owner(ctx context.Context) (string, error) {
	return k.rdb.Get(ctx, "lock:compact").Result()
}

func (k *K) Run(ctx context.Context, work func() int) error {
	ok, err := k.rdb.SetNX(ctx, "lock:compact", k.self, time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	n := work()
	who, err := k.owner(ctx)
	if err != nil {
		return err
	}
	if who != k.self {
		return errors.New("lost")
	}
	_, err = k.db.ExecContext(ctx, "UPDATE totals SET n = $1", n) // want 12 4
	return err
}
