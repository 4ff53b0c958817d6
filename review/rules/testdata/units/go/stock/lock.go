package stock

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

func take(ctx context.Context, rdb *redis.Client, name string) (bool, error) {
	return rdb.SetNX(ctx, "lock:"+name, "held", time.Minute).Result()
}

func free(ctx context.Context, rdb *redis.Client, name string) error {
	return rdb.Del(ctx, "lock:"+name).Err() // want 1
}
