package redisstore_test

import (
	"context"
	"testing"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/redisstore"
	"github.com/ringfence-go/ringfence/store/storetest"
)

func TestStore(t *testing.T) {
	for name, o := range map[string]realserver.RedisOptions{"memory": {}, "durable": {Durable: true}, "cluster": {Cluster: true, Durable: true}} {
		t.Run(name, func(t *testing.T) {
			server := realserver.NewRedis(t, &o)
			client := dial(t, server.Addr(), server, o.Cluster)
			storetest.Run(t, storetest.Target{
				Open:    func(ctx context.Context) (driver.Store, error) { return redisstore.Open(ctx, client, nil) },
				Restart: func(context.Context) error { server.Kill(); server.Start(); return nil },
			})
		})
	}
}
