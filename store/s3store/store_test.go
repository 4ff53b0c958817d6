package s3store_test

import (
	"context"
	"testing"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/s3store"
	"github.com/ringfence-go/ringfence/store/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	storetest.Run(t, storetest.Target{ // without OpenSkewed: no client reads a clock
		Open: func(ctx context.Context) (driver.Store, error) {
			return s3store.Open(ctx, s.client(), bucket, nil)
		},
		Restart: func(context.Context) error { s.restart(t); return nil },
	})
}
