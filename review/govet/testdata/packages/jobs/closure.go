package jobs

import (
	"context"
	"net/http"
	"strings"

	"github.com/redis/go-redis/v9"

	"example.test/packages/locks"
	"example.test/packages/repo"
)

func restock(ctx context.Context, rdb *redis.Client, stock *repo.Stock) error {
	release, err := locks.Plain(ctx, rdb, "restock")
	if err != nil {
		return err
	}
	defer release()
	return stock.Save(ctx, "a", 1) // want 4
}

func dropped(ctx context.Context, rdb *redis.Client, stock *repo.Stock) error {
	release, err := locks.Checked(ctx, rdb, "restock")
	if err != nil {
		return err
	}
	defer release() // want 10
	n, err := stock.Count(ctx)
	_ = n
	return err
}

func bill(ctx context.Context, rdb *redis.Client) (err error) {
	release, err := locks.Checked(ctx, rdb, "bill") // want 7
	if err != nil {
		return err
	}
	defer func() {
		if lost := release(); lost != nil && err == nil {
			err = lost
		}
	}()
	_, err = http.Post("https://pay.example.test/charges", "text/plain", strings.NewReader("5")) // want 8
	return err
}
