package casstore_test

import (
	"context"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/casstore"
	"github.com/ringfence-go/ringfence/store/storetest"
)

// TestMain lets more tests run at once than there are processors: they mostly wait.
func TestMain(m *testing.M) {
	flag.Parse()
	_ = flag.Set("test.parallel", "8")
	os.Exit(m.Run())
}

func TestStore(t *testing.T) {
	t.Parallel()
	m := newMemory(time.Millisecond)
	storetest.Run(t, storetest.Target{ // without OpenSkewed: no client reads a clock
		Open: func(ctx context.Context) (driver.Store, error) {
			return casstore.New(ctx, m, "memory", &casstore.Options{Unit: m.unit, Apart: m.unit, Patience: 2 * time.Second})
		},
		Restart: func(context.Context) error { return nil }, // a bucket outlives whatever asks it
	})
}
