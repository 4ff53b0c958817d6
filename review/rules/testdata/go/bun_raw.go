package testdata

import (
	"context"

	"github.com/uptrace/bun"
)

func dredge(ctx context.Context, db *bun.DB, canal int, work func() error) error {
	var got bool
	if err := db.NewRaw("SELECT pg_try_advisory_lock(?)", canal).Scan(ctx, &got); err != nil { // want 13
		return err
	}
	if !got {
		return nil
	}
	defer db.NewRaw("SELECT pg_advisory_unlock(?)", canal).Exec(ctx) // want 10
	return work()
}
