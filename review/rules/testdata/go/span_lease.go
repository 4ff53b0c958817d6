package p

import (
	"context"
	"time"

	"github.com/gomodule/redigo/redis"
)

const hold = 10 * time.Second

func run(ctx context.Context, c redis.Conn, me string, work func(context.Context) error) error {
	if _, err := redis.String(c.Do("SET", "lock:announce", me, "NX", "PX", int(hold/time.Millisecond))); err != nil { // want 7
		return err
	}
	defer release(c, me)
	ctx, cancel := context.WithTimeout(ctx, 45*time.Second)
	defer cancel()
	return work(ctx)
}

func release(c redis.Conn, me string) {
	c.Do("EVAL", "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end", 1, "lock:announce", me) // want 10
}
