package once

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

type Runner struct{ rdb *redis.Client }

func (r *Runner) Alone(ctx context.Context, what string, fn func(context.Context) error) error {
	id := uuid.NewString()
	ok, err := r.rdb.SetNX(ctx, what, id, 30*time.Second).Result()
	if err != nil || !ok {
		return err
	}
	defer func() {
		if r.rdb.Get(ctx, what).Val() == id {
			r.rdb.Del(ctx, what) // want 2
		}
	}()
	return fn(ctx)
}

func Bill(ctx context.Context, r *Runner, c *http.Client, user string) error {
	return r.Alone(ctx, "bill/"+user, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://pay.example/charges", strings.NewReader(user))
		if err != nil {
			return err
		}
		res, err := c.Do(req) // want 8
		if err != nil {
			return err
		}
		return res.Body.Close()
	})
}
