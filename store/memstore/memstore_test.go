package memstore_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/memstore"
	"github.com/ringfence-go/ringfence/store/storetest"
)

func TestStore(t *testing.T) {
	store := memstore.New(nil)
	storetest.Run(t, storetest.Target{
		Open: func(context.Context) (driver.Store, error) { return store.Share(), nil },
		Restart: func(context.Context) error { // no process starts twice within a millisecond
			for last := fence.TickOf(time.Now()); fence.TickOf(time.Now()) == last; runtime.Gosched() {
			}
			store = memstore.New(nil)
			return nil
		},
	})
}
