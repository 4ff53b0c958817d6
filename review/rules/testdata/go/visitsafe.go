package visitsafe

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

type Counter struct {
	mu  sync.Mutex
	rdb *redis.Client
}

func (c *Counter) Visit(ctx context.Context, page, who string) error {
	first, err := c.rdb.SetNX(ctx, "visited:"+page+":"+who, 1, time.Hour).Result()
	if err != nil || !first {
		return err
	}
	return c.rdb.Incr(ctx, "visits:"+page).Err()
}

func (c *Counter) Lock()   { c.mu.Lock() }
func (c *Counter) Unlock() { c.mu.Unlock() }

func (c *Counter) Forget(ctx context.Context, page string) error {
	c.Lock()
	defer c.Unlock()
	return c.rdb.Del(ctx, "visits:"+page).Err()
}
