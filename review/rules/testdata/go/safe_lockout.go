package gatekeeper

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

const closedFor = time.Hour

type Doors struct{ rdb *redis.Client }

func lockKey(card string) string { return "card:locked:" + card }
func tries(card string) string   { return "card:tries:" + card }

// Wrong counts the tries of a card; the fourth shuts it out.
func (d *Doors) Wrong(ctx context.Context, card string) error {
	n, err := d.rdb.Incr(ctx, tries(card)).Result()
	if err != nil {
		return err
	}
	if n == 1 {
		d.rdb.Expire(ctx, tries(card), closedFor)
	}
	if n > 3 {
		return d.rdb.Set(ctx, lockKey(card), 1, closedFor).Err()
	}
	return nil
}

func (d *Doors) Unlock(ctx context.Context, card string) error {
	return d.rdb.Del(ctx, tries(card), lockKey(card)).Err()
}
