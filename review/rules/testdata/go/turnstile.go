package bids

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/redis/rueidis"
)

var ErrBusy = errors.New("bids: busy")

type Turnstile interface {
	Pass(ctx context.Context, who, what string, d time.Duration) error
	Back(ctx context.Context, what string) error
}

type turnstile struct{ c rueidis.Client }

func (t turnstile) Pass(ctx context.Context, who, what string, d time.Duration) error {
	err := t.c.Do(ctx, t.c.B().Set().Key(what).Value(who).Nx().Px(d).Build()).Error()
	if rueidis.IsRedisNil(err) {
		return ErrBusy
	}
	return err
}

func (t turnstile) Back(ctx context.Context, what string) error {
	return t.c.Do(ctx, t.c.B().Del().Key(what).Build()).Error() // want 1
}

type House struct {
	gate Turnstile
	pool *pgxpool.Pool
}

func (h *House) Close(ctx context.Context, lot int64) error {
	what := fmt.Sprintf("lot:%d", lot)
	if err := h.gate.Pass(ctx, "house", what, 10*time.Second); err != nil {
		return err
	}
	defer h.gate.Back(ctx, what)
	return pgx.BeginFunc(ctx, h.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE lots SET closed = true WHERE id = $1", lot) // want 4
		return err
	})
}
