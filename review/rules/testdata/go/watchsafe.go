package watchsafe

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

var ErrLost = errors.New("lock lost")

func Release(ctx context.Context, rdb *redis.Client, key, owner string) error {
	return rdb.Watch(ctx, func(tx *redis.Tx) error {
		cur, err := tx.Get(ctx, "lock:"+key).Result()
		if err != nil {
			return err
		}
		if cur != owner {
			return ErrLost
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Del(ctx, "lock:"+key)
			return nil
		})
		return err
	}, "lock:"+key)
}
