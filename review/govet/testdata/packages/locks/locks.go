// Package locks hands out a function that gives the lock back.
package locks

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

var ErrTaken = errors.New("taken")

const lease = 30 * time.Second

const compareAndDelete = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`

// Plain gives back whatever stands there.
func Plain(ctx context.Context, rdb *redis.Client, key string) (release func(), err error) {
	ok, err := rdb.SetNX(ctx, "lock:"+key, rand.Text(), lease).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrTaken
	}
	return func() { rdb.Del(context.Background(), "lock:"+key) }, nil // want 1
}

// Checked gives back what is its own, and says whether it was.
func Checked(ctx context.Context, rdb *redis.Client, key string) (func() error, error) {
	owner := rand.Text()
	ok, err := rdb.SetNX(ctx, "lock:"+key, owner, lease).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrTaken
	}
	release := func() error {
		n, err := rdb.Eval(context.Background(), compareAndDelete, []string{"lock:" + key}, owner).Int()
		if err == nil && n == 0 {
			err = errors.New("the lock was lost")
		}
		return err
	}
	return release, nil
}
