package cases

import (
	"context"
	"errors"

	"github.com/gomodule/redigo/redis"
)

var dropOwn = redis.NewScript(1, `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func Guarded(ctx context.Context, conn redis.Conn, owner string, work func(context.Context) error) error {
	if _, err := redis.String(conn.Do("SET", "lock:guarded", owner, "NX", "PX", 5000)); err != nil {
		return err
	}
	err := work(ctx)
	n, dropped := redis.Int(dropOwn.Do(conn, "lock:guarded", owner))
	if dropped == nil && n == 0 {
		dropped = errors.New("lost")
	}
	return errors.Join(err, dropped)
}
