package extend

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func Do(ctx context.Context, rdb *redis.Client, key string, fn func(context.Context) error) error {
	me := uuid.NewString()
	ok, err := rdb.SetNX(ctx, "lock:"+key, me, 15*time.Second).Result()
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("busy")
	}
	done := make(chan struct{})
	go func() {
		t := time.NewTicker(5 * time.Second)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
				rdb.Expire(ctx, "lock:"+key, 15*time.Second) // want 16
			}
		}
	}()
	err = fn(ctx)
	close(done)
	n, rerr := release.Run(ctx, rdb, []string{"lock:" + key}, me).Int()
	if rerr == nil && n == 0 {
		rerr = errors.New("lock lost")
	}
	return errors.Join(err, rerr)
}
