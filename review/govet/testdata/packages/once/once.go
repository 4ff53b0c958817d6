// Package once runs a function while it holds a lock.
package once

import (
	"context"
	"crypto/rand"
	"log"
	"time"

	"github.com/redis/go-redis/v9"
)

const drop = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`

// Do runs work, if nobody else does.
func Do(ctx context.Context, rdb *redis.Client, key string, ttl time.Duration, work func(context.Context) error) error {
	owner := rand.Text()
	ok, err := rdb.SetNX(ctx, "once:lock:"+key, owner, ttl).Result()
	if err != nil || !ok {
		return err
	}
	defer func() {
		if n, err := rdb.Eval(context.Background(), drop, []string{"once:lock:" + key}, owner).Int(); err != nil || n == 0 {
			log.Printf("once: %s was lost: %v", key, err)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, ttl/2)
	defer cancel()
	return work(ctx)
}
