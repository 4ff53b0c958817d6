package p

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"gorm.io/gorm"
)

type Row struct{ ID uint }

func run(ctx context.Context, db *gorm.DB, lk *redislock.Client) error {
	l, err := lk.Obtain(ctx, "x", 30*time.Second, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err := l.Release(ctx); err != nil {
			panic(err)
		}
	}()
	if err := db.WithContext(ctx).Table("rows").Where("id = ?", 3).Update("n", 4).Error; err != nil { // want 4
		return err
	}
	var list []Row
	if err := db.First(&list).Error; err != nil {
		return err
	}
	return db.Model(&list[0]).Update("n", 3).Error // want 4
}
