package cases

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/charge"
)

type Collector struct{ locker *redislock.Client }

func (c *Collector) Collect(ctx context.Context, customer string) error {
	lock, err := c.locker.Obtain(ctx, "collect:"+customer, 10*time.Second, &redislock.Options{RetryStrategy: redislock.NoRetry()}) // want 7
	if err == redislock.ErrNotObtained {
		return nil
	}
	if err != nil {
		return err
	}
	defer lock.Release(ctx)                                              // want 10
	_, err = charge.New(&stripe.ChargeParams{Amount: stripe.Int64(100)}) // want 8
	return err
}
