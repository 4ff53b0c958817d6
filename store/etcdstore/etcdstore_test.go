package etcdstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/etcdstore"
	"github.com/ringfence-go/ringfence/store/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	etcd := realserver.NewEtcd(t, nil)
	client := connect(t, etcd)
	storetest.Run(t, storetest.Target{
		Open: func(ctx context.Context) (driver.Store, error) { return etcdstore.Open(ctx, client, nil) },
		OpenSkewed: func(ctx context.Context, skew time.Duration) (driver.Store, error) {
			return etcdstore.OpenSkewed(ctx, client, skew)
		},
		Restart: func(context.Context) error { etcd.Kill(0); etcd.Start(); return nil },
	})
}
