package cases

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/redis/go-redis/v9"
)

type lead struct {
	rdb    *redis.Client
	pool   *pgxpool.Pool
	leader atomic.Bool
	terms  int64
}

func (l *lead) keep(ctx context.Context, me string) {
	for ctx.Err() == nil {
		ok, err := l.rdb.SetNX(ctx, "cron:leader", me, 10*time.Second).Result()
		if err == nil && !ok {
			v, _ := l.rdb.Get(ctx, "cron:leader").Result()
			ok = v == me
		}
		l.leader.Store(err == nil && ok)
		time.Sleep(3 * time.Second)
	}
}

func (l *lead) Tick(ctx context.Context) error {
	if !l.leader.Load() {
		return nil
	}
	_, err := l.pool.Exec(ctx, "UPDATE cron SET ran = now() WHERE due") // want 11
	return err
}

func (l *lead) Push(ctx context.Context, key, body string) error {
	ok, err := l.rdb.SetNX(ctx, "push:lock:"+key, "x", 5*time.Second).Result() // want 7
	if err != nil {
		return nil
	}
	if !ok {
		return nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://push.example", strings.NewReader(body))
	if err != nil {
		return err
	}
	_, err = http.DefaultClient.Do(req) // want 8
	l.rdb.Del(ctx, "push:lock:"+key)    // want 1
	return err
}
