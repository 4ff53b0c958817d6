package stock

import (
	"context"
	"database/sql"

	"github.com/redis/go-redis/v9"
)

func sync(ctx context.Context, rdb *redis.Client, db *sql.DB, sku string) error {
	ok, err := take(ctx, rdb, "stock/"+sku)
	if err != nil || !ok {
		return err
	}
	defer free(ctx, rdb, "stock/"+sku)
	_, err = db.ExecContext(ctx, "UPDATE stock SET n = n - 1 WHERE sku = $1", sku) // want 4
	return err
}
