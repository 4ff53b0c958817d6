package iface

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

type gate interface {
	Enter(ctx context.Context, k string) (func(), error)
}

type redisGate struct{ c redis.UniversalClient }

var errTaken = errors.New("taken")

func (g redisGate) Enter(ctx context.Context, k string) (func(), error) {
	if ok, err := g.c.SetNX(ctx, k, "1", time.Minute).Result(); err != nil {
		return nil, err
	} else if !ok {
		return nil, errTaken
	}
	return func() { g.c.Del(context.WithoutCancel(ctx), k) }, nil // want 1
}

type Store interface {
	Exec(ctx context.Context, q string, a ...any) error
}

func Close(ctx context.Context, g gate, s Store, month string) error {
	out, err := g.Enter(ctx, "close:"+month)
	if err != nil {
		return err
	}
	defer out()
	return s.Exec(ctx, "UPDATE ledger SET closed = true WHERE month = $1", month) // want 4
}
