package genericlock

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

type Guarded[T any] struct {
	client *redis.Client
	prefix string
}

func (g Guarded[T]) name(id string) string { return g.prefix + ":lock:" + id }

// With runs fn alone for an id.
func (g Guarded[T]) With(ctx context.Context, id, owner string, fn func() (T, error)) (T, error) {
	var zero T
	got, err := g.client.SetNX(ctx, g.name(id), owner, time.Minute).Result()
	if err != nil {
		return zero, err
	}
	if !got {
		return zero, errors.New("taken")
	}
	defer func() {
		if v, err := g.client.Get(ctx, g.name(id)).Result(); err == nil && v == owner {
			g.client.Del(ctx, g.name(id)) // want 2
		}
	}()
	return fn()
}
