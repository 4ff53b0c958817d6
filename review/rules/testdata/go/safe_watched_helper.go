package w

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

type Lease struct {
	rdb       *redis.Client
	key, mine string
}

func (l *Lease) Acquire(ctx context.Context) (bool, error) {
	return l.rdb.SetNX(ctx, l.key, l.mine, 30*time.Second).Result()
}

func (l *Lease) Release(ctx context.Context) error {
	return l.ifMine(ctx, func(p redis.Pipeliner) { p.Del(ctx, l.key) })
}

func (l *Lease) Renew(ctx context.Context) error {
	return l.ifMine(ctx, func(p redis.Pipeliner) { p.PExpire(ctx, l.key, 30*time.Second) })
}

func (l *Lease) ifMine(ctx context.Context, change func(redis.Pipeliner)) error {
	return l.rdb.Watch(ctx, func(tx *redis.Tx) error {
		if v, err := tx.Get(ctx, l.key).Result(); err != nil || v != l.mine {
			return err
		}
		_, err := tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			change(p)
			return nil
		})
		return err
	}, l.key)
}
