package unit

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

type Config struct{ LockTTLSeconds int }

func Try(ctx context.Context, rdb *redis.Client, cfg Config, owner string) (bool, error) {
	return rdb.SetNX(ctx, "nightly-lock", owner, time.Duration(30)).Result() // want 20
}
