package jobs

import (
	"context"
	"crypto/rand"
	"time"

	"example.test/packages/kv"
)

func rollup(ctx context.Context, store *kv.Store) error {
	ok, err := store.Claim(ctx, "lock:rollup", rand.Text(), time.Minute)
	if err != nil || !ok {
		return err
	}
	defer store.Remove(ctx, "lock:rollup") // want 1
	return check(ctx)
}
