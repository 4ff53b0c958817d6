package sqlguard

import (
	"context"
	"time"

	"github.com/ringfence-go/ringfence/fence"
)

// Now reads the database's clock, in whole milliseconds. Call it before the first
// input of a write is read, and put it into guard.Write.AsOf where the resource limits
// the age of inputs ([Options].MaxAge): no other clock says how old they are there.
func Now(ctx context.Context, q Runner, d Dialect) (time.Time, error) {
	if err := d.check(); err != nil {
		return time.Time{}, err
	}
	now, err := clock(ctx, q, d)
	return now, told("read the clock", err)
}

func clock(ctx context.Context, q Runner, d Dialect) (time.Time, error) {
	var ms int64
	err := q.QueryRowContext(ctx, d.sql("clock")).Scan(&ms)
	return time.UnixMilli(ms), err
}

// futureLimit is the highest token that counts at a clock of the database.
func futureLimit(now time.Time) fence.Token { return fence.FutureLimit(fence.TickOf(now)) }
