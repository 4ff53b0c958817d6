package cases

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"
)

var epoch atomic.Int64

func nextEpoch() int64 {
	return time.Now().UnixMilli()<<8 | epoch.Add(1)&0xff // want 5
}

func Publish(ctx context.Context, db *sqlx.DB, doc string) error {
	_, err := db.ExecContext(ctx, "UPDATE docs SET body = $1, fence = $2 WHERE fence < $2", doc, nextEpoch())
	return err
}
