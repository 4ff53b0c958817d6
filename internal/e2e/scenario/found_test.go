package scenario

import (
	"sync"
	"testing"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/e2e/system"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// TestOpenedByManyAtOnce: many clients find no tables, and all of them create
// what is missing.
func TestOpenedByManyAtOnce(t *testing.T) {
	t.Parallel()
	system.Each(t, func(t *testing.T, d system.Database) {
		start := make(chan struct{})
		var all sync.WaitGroup
		for range 8 {
			db := d.Open(t)
			all.Go(func() {
				<-start
				s, err := sqlstore.Open(t.Context(), db, d.Dialect(), nil)
				if err != nil {
					t.Error(err)
					return
				}
				_ = s.Close()
			})
		}
		close(start)
		all.Wait()
		d.Exec(t, sqlstore.Schema(d.Dialect()), sqlstore.Schema(d.Dialect())) // also by hand, and again
	})
}

// TestHolderMayBeEmpty: a label is for people, and no store asks for one.
func TestHolderMayBeEmpty(t *testing.T) {
	t.Parallel()
	system.Each(t, func(t *testing.T, d system.Database) {
		term, err := d.Store(t).Acquire(t.Context(), driver.Request{Name: "job", Attempt: "a", TTL: long.TTL})
		if err != nil || term.Token == 0 {
			t.Errorf("got %+v (error %v)", term, err)
		}
	})
}
