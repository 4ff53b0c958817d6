package quote

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/redis/go-redis/v9"
)

type Desk struct {
	rdb  *redis.Client
	pool *pgxpool.Pool
	id   string
}

var errGone = errors.New("somebody else quotes now")

func (d *Desk) mine(ctx context.Context, pair string) bool {
	v, err := d.rdb.Get(ctx, "quote:"+pair).Result()
	return err == nil && v == d.id
}

func (d *Desk) Quote(ctx context.Context, pair string, price func(context.Context) (int64, error)) error {
	ok, err := d.rdb.SetNX(ctx, "quote:"+pair, d.id, 5*time.Second).Result()
	if err != nil || !ok {
		return err
	}
	p, err := price(ctx)
	if err != nil {
		return err
	}
	if !d.mine(ctx, pair) {
		return errGone
	}
	_, err = d.pool.Exec(ctx, "UPDATE quotes SET price = $1 WHERE pair = $2", p, pair) // want 12 4
	return err
}
