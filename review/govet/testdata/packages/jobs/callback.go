package jobs

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"example.test/packages/once"
	"example.test/packages/repo"
)

func nightly(ctx context.Context, rdb *redis.Client, stock *repo.Stock) error {
	return once.Do(ctx, rdb, "nightly", time.Minute, func(ctx context.Context) error {
		if err := stock.Save(ctx, "a", 1); err != nil { // want 4
			return err
		}
		_, err := http.Post("https://hooks.example.test/done", "text/plain", strings.NewReader("ok")) // want 8
		return err
	})
}

func named(ctx context.Context, rdb *redis.Client) error {
	return once.Do(ctx, rdb, "named", time.Minute, notify)
}

func notify(context.Context) error {
	_, err := http.Post("https://hooks.example.test/done", "text/plain", strings.NewReader("ok")) // want 8
	return err
}
