package pgxstore_test

import (
	"context"
	"testing"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/pgxstore"
	"github.com/ringfence-go/ringfence/store/storetest"
)

func TestStore(t *testing.T) {
	pg := realserver.NewPostgres(t, nil)
	config := parse(t, pg.URL("postgres"))
	storetest.Run(t, storetest.Target{
		Open:    func(ctx context.Context) (driver.Store, error) { return pgxstore.Open(ctx, config, nil) },
		Restart: func(context.Context) error { pg.Kill(); pg.Start(); return nil },
	})
}
