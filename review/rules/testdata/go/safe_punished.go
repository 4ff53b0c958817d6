package guard

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

type Guard struct{ rdb *redis.Client }

func lockKey(u string) string { return "lock:user:" + u }

func (g *Guard) Punish(ctx context.Context, u string) error {
	return g.rdb.SetNX(ctx, lockKey(u), "too many", time.Hour).Err()
}

func (g *Guard) Allowed(ctx context.Context, u string) (bool, error) {
	n, err := g.rdb.Exists(ctx, lockKey(u)).Result()
	return n == 0, err
}

func (g *Guard) Pardon(ctx context.Context, u string) error {
	return g.rdb.Del(ctx, lockKey(u)).Err()
}
