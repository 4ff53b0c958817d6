package cachesafe

import (
	"context"
	"encoding/json"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/singleflight"
)

type Cache struct {
	rdb   *redis.Client
	group singleflight.Group
}

func (c *Cache) Load(ctx context.Context, key string, load func() (any, error)) (any, error) {
	v, err, _ := c.group.Do(key, func() (any, error) {
		got, err := load()
		if err != nil {
			return nil, err
		}
		b, err := json.Marshal(got)
		if err != nil {
			return nil, err
		}
		return got, c.rdb.Set(ctx, key, b, time.Minute).Err()
	})
	return v, err
}

func (c *Cache) Invalidate(ctx context.Context, key string) error {
	if _, err := c.rdb.Get(ctx, key).Result(); err != nil {
		return err
	}
	return c.rdb.Del(ctx, key).Err()
}
