package natsstore_test

import (
	"context"
	"testing"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/natsstore"
	"github.com/ringfence-go/ringfence/store/storetest"
)

func TestStore(t *testing.T) {
	s := startServer(t)
	storetest.Run(t, storetest.Target{ // without OpenSkewed: no client reads a clock
		Open: func(ctx context.Context) (driver.Store, error) {
			return natsstore.Open(ctx, s.connect(t, s.addr()), nil)
		},
		Restart: func(context.Context) error { s.restart(t); return nil },
	})
}
