package cases

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/redis/go-redis/v9"
)

var errTaken = errors.New("taken")

const ours = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`

// probe hands its error on, which the caller asks first.
func probe(ctx context.Context, c *redis.Client, me string) (bool, error) {
	ok, err := c.SetNX(ctx, "probe:lock", me, time.Second).Result()
	if err != nil {
		return true, err
	}
	return ok, nil
}

// tend says that it had the lock, and that its work failed.
func tend(ctx context.Context, c *redis.Client, me string, work func(context.Context) error) (bool, error) {
	ok, err := c.SetNX(ctx, "tend:lock", me, time.Minute).Result()
	if err != nil || !ok {
		return false, errors.Join(err, errTaken)
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	err = work(ctx)
	if n, freed := c.Eval(ctx, ours, []string{"tend:lock"}, me).Int(); freed != nil || n == 0 {
		log.Print("late: ", freed)
	}
	if err != nil {
		log.Print(err)
		return true, nil
	}
	return true, nil
}
