// Package catalog rebuilds the product catalog, one builder at a time.
package catalog

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

const buildKey = "catalog:build:lock"

type Builder struct {
	rdb redis.UniversalClient
	ttl time.Duration
}

func (b *Builder) lock(ctx context.Context) (bool, error) {
	return b.rdb.SetNX(ctx, buildKey, uuid.NewString(), b.ttl).Result()
}

func (b *Builder) unlock(ctx context.Context) {
	b.rdb.Del(ctx, buildKey) // want 1
}

func (b *Builder) Build(ctx context.Context, work func(context.Context) error) error {
	ok, err := b.lock(ctx)
	if err != nil || !ok {
		return err
	}
	defer b.unlock(ctx)
	return work(ctx)
}
