package harvest

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
	"gorm.io/gorm"
)

type Field struct {
	ID    uint
	Kilos int
}

type Harvester struct {
	rdb *redis.Client
	db  *gorm.DB
}

func (h *Harvester) Reap(ctx context.Context, id string, kilos int) error {
	key := "reap:" + id
	n, err := h.rdb.Exists(ctx, key).Result()
	if err != nil {
		return err
	}
	if n > 0 {
		return nil
	}
	if err := h.rdb.Set(ctx, key, 1, time.Minute).Err(); err != nil { // want 3
		return err
	}
	defer h.rdb.Del(ctx, key)                                                                     // want 1
	return h.db.WithContext(ctx).Model(&Field{}).Where("id = ?", id).Update("kilos", kilos).Error // want 4
}
