package gcsstore_test

import (
	"context"
	"flag"
	"net/http"
	"os"
	"testing"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/gcsstore"
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
	s := startServer(t)
	storetest.Run(t, storetest.Target{ // without OpenSkewed: no client reads a clock
		Open: func(ctx context.Context) (driver.Store, error) {
			return gcsstore.Open(ctx, http.DefaultClient, bucket, s.options(gcsstore.Options{}))
		},
		Restart: func(context.Context) error { s.restart(t); return nil },
	})
}

// TestAnotherServer runs the suite on a server that is named by the environment.
func TestAnotherServer(t *testing.T) {
	t.Parallel()
	client, bucket, o := another(t)
	storetest.Run(t, storetest.Target{
		Open: func(ctx context.Context) (driver.Store, error) { return gcsstore.Open(ctx, client, bucket, o) },
	})
}
