package checkact

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

type Keeper struct {
	rdb   *redis.Client
	db    *sql.DB
	key   string
	owner string
}

func (k *Keeper) mine(ctx context.Context) bool {
	v, err := k.rdb.Get(ctx, k.key).Result()
	return err == nil && v == k.owner
}

func (k *Keeper) Acquire(ctx context.Context) (bool, error) {
	return k.rdb.SetNX(ctx, k.key, k.owner, 30*time.Second).Result()
}

func (k *Keeper) Write(ctx context.Context, total int64) error {
	if !k.mine(ctx) {
		return errors.New("lock lost")
	}
	_, err := k.db.ExecContext(ctx, "UPDATE totals SET total = $1", total) // want 12
	return err
}
