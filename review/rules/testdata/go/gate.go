package cases

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

type Gate struct {
	rdb redis.UniversalClient
	ttl time.Duration
}

func (g *Gate) With(ctx context.Context, name string, fn func(context.Context) error) error {
	id := uuid.NewString()
	_, err := g.rdb.SetArgs(ctx, name, id, redis.SetArgs{Mode: "NX", TTL: g.ttl}).Result()
	if errors.Is(err, redis.Nil) {
		return errors.New("busy")
	} else if err != nil {
		return err
	}
	defer func() {
		cur, err := g.rdb.Get(ctx, name).Result()
		if err != nil {
			slog.Error("release", "err", err)
			return
		}
		if cur == id {
			g.rdb.Del(ctx, name) // want 2
		}
	}()
	return fn(ctx)
}

type Billing struct {
	gate *Gate
	db   *sql.DB
}

func (b *Billing) Close(ctx context.Context, month string) error {
	return b.gate.With(ctx, "billing:"+month, func(ctx context.Context) error {
		_, err := b.db.ExecContext(ctx, `UPDATE months SET closed = true WHERE month = $1`, month) // want 4
		return err
	})
}
