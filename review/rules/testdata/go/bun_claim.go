package testdata

import (
	"context"

	"github.com/uptrace/bun"
)

type Task struct {
	ID       int64
	LockedBy string
	LockedAt bun.NullTime
}

func Claim(ctx context.Context, db *bun.DB, me string) (*Task, error) {
	var t Task
	err := db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if err := tx.NewSelect().Model(&t).Where("locked_by IS NULL").Limit(1).For("UPDATE SKIP LOCKED").Scan(ctx); err != nil {
			return err
		}
		t.LockedBy = me
		_, err := tx.NewUpdate().Model(&t).Set("locked_by = ?, locked_at = now()", me).WherePK().Exec(ctx)
		return err
	})
	return &t, err
}
