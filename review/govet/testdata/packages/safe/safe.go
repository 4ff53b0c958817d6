// Package safe does it right, or does something else.
package safe

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"example.test/packages/kv"
	"example.test/packages/local"
	"example.test/packages/locks"
	"example.test/packages/mutex"
	"example.test/packages/once"
	"example.test/packages/repo"
)

func reads(ctx context.Context, rdb *redis.Client, stock *repo.Stock) (n int, err error) {
	release, err := locks.Checked(ctx, rdb, "count")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, release()) }()
	return stock.Count(ctx)
}

func fenced(ctx context.Context, m *mutex.Redis, stock *repo.Stock, fence int64) (err error) {
	lease, err := m.Acquire(ctx, "stock")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release(ctx)) }()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return stock.SaveFenced(ctx, "a", 1, fence)
}

func keyed(ctx context.Context, rdb *redis.Client, order string) error {
	return once.Do(ctx, rdb, order, time.Minute, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, "POST", "https://pay.example.test/charges", strings.NewReader("5"))
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", order)
		_, err = http.DefaultClient.Do(req)
		return err
	})
}

// marker sets a value once for each message, for ever: that is no lock.
func marker(ctx context.Context, store *kv.Store, id string, stock *repo.Stock) error {
	fresh, err := store.Claim(ctx, "seen:"+id, "1", 24*time.Hour)
	if err != nil || !fresh {
		return err
	}
	return stock.Save(ctx, id, 1)
}

// inside locks out the goroutines of this process alone.
func inside(ctx context.Context, c *local.Counter, stock *repo.Stock) error {
	c.Acquire()
	defer c.Release()
	return stock.Save(ctx, "a", 1)
}

// unlocked has nothing to do with a lock.
func unlocked(ctx context.Context, stock *repo.Stock) error {
	return stock.Save(ctx, "a", 1)
}
