package ringfence

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/memstore"
)

// counted is a memory store that counts its calls, and holds up what is said of places.
type counted struct {
	*memstore.Store
	mu    sync.Mutex
	calls int
	after func() // of a WaitAll, before it is answered; nil is nothing
}

// count notes a call, and returns what is to be called before it is answered.
func (c *counted) count() (after func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	return c.after
}

func (c *counted) made() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls
}

func (c *counted) Acquire(ctx context.Context, r driver.Request) (driver.Term, error) {
	c.count()
	return c.Store.Acquire(ctx, r)
}

func (c *counted) Wait(ctx context.Context, r driver.Request, keep time.Duration) (driver.Place, error) {
	c.count()
	return c.Store.Wait(ctx, r, keep)
}

func (c *counted) WaitAll(ctx context.Context, all []driver.Waiting) []driver.Placed {
	if after := c.count(); after != nil {
		after()
	}
	return c.Store.WaitAll(ctx, all)
}

// waits starts n waiters of one process for a name that is held.
func waits(t *testing.T, s driver.Store, n int) (holder *Lease, quit context.CancelFunc, l *Locker) {
	t.Helper()
	l, err := New(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if holder, err = l.TryAcquire(t.Context(), "report", Hold{TTL: 20 * time.Hour}); err != nil {
		t.Fatal(err)
	}
	ctx, quit := context.WithCancel(t.Context())
	for i := range n {
		go func() {
			lease, err := l.Acquire(ctx, "report", 10*time.Hour, Hold{TTL: time.Minute, Holder: fmt.Sprint(i)})
			if err == nil {
				_ = lease.Release(ctx)
			}
		}()
		synctest.Wait()
	}
	return holder, quit, l
}

// TestWaitingCostsTheSameForManyAsForFew counts the calls of ten minutes.
func TestWaitingCostsTheSameForManyAsForFew(t *testing.T) {
	t.Parallel()
	for n, most := range map[int]float64{1: 1, 10: 1, 250: 6, 1000: 22} {
		synctest.Test(t, func(t *testing.T) {
			store := &counted{Store: memstore.New(nil)}
			_, quit, _ := waits(t, store, n)
			before := store.made()
			const long = 10 * time.Minute
			time.Sleep(long)
			synctest.Wait()
			if perSecond := float64(store.made()-before) / long.Seconds(); perSecond > most {
				t.Errorf("%d waiters made %.1f calls a second; want %.0f at most", n, perSecond, most)
			}
			if all, err := store.Waiters(t.Context(), "report", n); err != nil || len(all) != n || all[0].Waited < long {
				t.Errorf("%d of %d wait, %v", len(all), n, err)
			}
			quit()
			synctest.Wait()
		})
	}
}

// TestPlaceDoesNotComeBack: what was said of a place crosses the leaving or the grant of
// its owner, who must be in nobody's way afterwards.
func TestPlaceDoesNotComeBack(t *testing.T) {
	t.Parallel()
	for _, granted := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			store := &counted{Store: memstore.New(nil)}
			holder, quit, l := waits(t, store, 1)
			held, free := make(chan struct{}), make(chan struct{})
			var once sync.Once
			store.mu.Lock()
			store.after = func() { once.Do(func() { close(held); <-free }) }
			store.mu.Unlock()
			<-held
			if granted {
				if err := holder.Release(t.Context()); err != nil {
					t.Fatal(err)
				}
			} else {
				quit()
			}
			synctest.Wait()
			close(free)
			synctest.Wait()
			if all, err := store.Waiters(t.Context(), "report", 9); err != nil || len(all) != 0 {
				t.Errorf("%+v wait, %v, after the only one had gone (granted: %t)", all, err, granted)
			}
			quit()
			if err := l.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// heldWithoutHints is a name that a Locker holds, at a store that gives no hints.
func heldWithoutHints(t *testing.T) (*memstore.Store, *Locker, *Lease) {
	t.Helper()
	mem := memstore.New(nil)
	l, err := New(unwatched{mem, mem}, nil)
	if err != nil {
		t.Fatal(err)
	}
	holder, err := l.TryAcquire(t.Context(), "report", Hold{TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return mem, l, holder
}

// TestWaiterIsToldThatItCameNear: the many before it vanish, and no hint says so.
func TestWaiterIsToldThatItCameNear(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mem, l, holder := heldWithoutHints(t)
		for i := range 2 * pollers {
			r := driver.Request{Name: "report", Attempt: fmt.Sprint("vanished", i), TTL: time.Hour}
			if _, err := mem.Wait(t.Context(), r, placeKept); err != nil {
				t.Fatal(err)
			}
		}
		got := make(chan *Lease, 1)
		go func() {
			lease, err := l.Acquire(t.Context(), "report", time.Hour, Hold{TTL: time.Minute})
			if err != nil {
				t.Error(err)
			}
			got <- lease
		}()
		time.Sleep(placeKept + placeAgain)
		released := time.Now()
		if err := holder.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		lease := <-got
		if took := time.Since(released); took > time.Second {
			t.Errorf("granted %s after the release; want it within a second", took)
		}
		lease.Abandon()
	})
}

// stuck keeps places one by one, and answers nothing about those of one holder once it has given them.
type stuck struct {
	driver.Store
	driver.Queue
	given sync.Map // the attempts that have a place
}

func (s *stuck) Wait(ctx context.Context, r driver.Request, keep time.Duration) (driver.Place, error) {
	if _, given := s.given.LoadOrStore(r.Attempt, true); given && r.Holder == "stuck" {
		<-ctx.Done()
		return driver.Place{}, &driver.Fault{Kind: ErrUnknown, Err: ctx.Err()}
	}
	return s.Queue.Wait(ctx, r, keep)
}

// TestSlowAnswerCostsNoOtherItsPlace: one word hangs, and calls may take long.
func TestSlowAnswerCostsNoOtherItsPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mem := memstore.New(nil)
		l, err := New(&stuck{Store: mem, Queue: mem}, &Options{RequestTimeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.TryAcquire(t.Context(), "report", Hold{TTL: time.Hour}); err != nil {
			t.Fatal(err)
		}
		ctx, quit := context.WithCancel(t.Context())
		for _, holder := range []string{"stuck", "lives"} {
			go func() { _, _ = l.Acquire(ctx, "report", 10*time.Hour, Hold{TTL: time.Minute, Holder: holder}) }()
			synctest.Wait()
		}
		const long = 3 * time.Minute
		time.Sleep(long)
		all, err := mem.Waiters(t.Context(), "report", 9)
		if err != nil || len(all) != 1 || all[0].Holder != "lives" || all[0].Waited < long {
			t.Errorf("%+v wait, %v; want one that has kept its place for %s", all, err, long)
		}
		quit()
		synctest.Wait()
		if err := l.Close(t.Context()); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute) // as long as a call may take
	})
}

// TestNextInTheProcessIsToldWithoutHints: where the store tells nobody, a process tells its
// own waiters what it has itself given back.
func TestNextInTheProcessIsToldWithoutHints(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, l, holder := heldWithoutHints(t)
		got := make(chan *Lease)
		for range 4 {
			go func() {
				lease, err := l.Acquire(t.Context(), "report", time.Hour, Hold{TTL: time.Hour})
				if err != nil {
					t.Error(err)
				}
				got <- lease
			}()
			synctest.Wait()
		}
		time.Sleep(time.Minute)
		for range 4 {
			released := time.Now()
			if err := holder.Release(t.Context()); err != nil {
				t.Fatal(err)
			}
			holder = <-got
			if took := time.Since(released); took > 0 {
				t.Errorf("granted %s after the release", took)
			}
		}
		holder.Abandon()
	})
}
