package zkstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/storetest"
	"github.com/ringfence-go/ringfence/store/zkstore"
)

func TestStore(t *testing.T) {
	t.Parallel()
	z := realserver.NewZooKeeper(t, nil)
	address := z.Endpoints()[0]
	storetest.Run(t, storetest.Target{
		Open: func(ctx context.Context) (driver.Store, error) { return zkstore.Open(ctx, address, patient) },
		OpenSkewed: func(ctx context.Context, skew time.Duration) (driver.Store, error) {
			return zkstore.OpenSkewed(ctx, address, patient, skew)
		},
		Restart: func(context.Context) error { z.Kill(0); z.Start(); return nil },
	})
}
