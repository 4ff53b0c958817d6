package ringfence

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/memstore"
)

// distant is a store whose steps take a while.
type distant struct{ driver.Store }

func (s distant) Acquire(ctx context.Context, r driver.Request) (driver.Term, error) {
	time.Sleep(10 * time.Millisecond)
	return s.Store.Acquire(ctx, r)
}

func (s distant) Release(ctx context.Context, t driver.Term) error {
	time.Sleep(10 * time.Millisecond)
	return s.Store.Release(ctx, t)
}

// TestReadersWhoComeTogetherDoNotRefuseEachOther: none of them waits for a writer, which is refused at once.
func TestReadersWhoComeTogetherDoNotRefuseEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, err := New(distant{memstore.New(nil)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		read := func() (*Lease, error) {
			return l.TryAcquire(t.Context(), "plan", Hold{TTL: time.Minute, Kind: Kind{Access: Shared}})
		}
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				lease, err := read()
				if err != nil {
					t.Errorf("a reader among readers: %v", err)
					return
				}
				time.Sleep(10 * time.Second)
				if err := lease.Release(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		writer, err := l.TryAcquire(t.Context(), "plan", Hold{TTL: time.Minute, Kind: Kind{Access: Exclusive}})
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if _, err := read(); !errors.Is(err, ErrHeld) || time.Since(begun) > 100*time.Millisecond {
			t.Errorf("a reader beside a writer: %v after %s", err, time.Since(begun))
		}
		if err := writer.Release(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
