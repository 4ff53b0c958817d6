package ringfence

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/memstore"
)

// unwatched is a store that keeps lines and gives no hints.
type unwatched struct {
	driver.Store
	driver.Queue
}

// queued starts n waiters one after the other, each with a Locker of its own, for a name
// that is held; each tells its number when it is served, and gives the name back at once.
func queued(t *testing.T, store driver.Store, n int) (*Lease, chan int) {
	t.Helper()
	open := func() *Locker {
		l, err := New(store, nil)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	holder, err := open().TryAcquire(t.Context(), "report", Hold{TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan int, n)
	for i := range n {
		l := open()
		go func() {
			lease, err := l.Acquire(t.Context(), "report", time.Hour, Hold{TTL: time.Minute, Holder: fmt.Sprint("waiter ", i)})
			if err != nil {
				t.Error(err)
				return
			}
			served <- i
			if err := lease.Release(t.Context()); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
	}
	return holder, served
}

func TestWaitersAreServedInOrder(t *testing.T) {
	t.Parallel()
	for _, hints := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			mem := memstore.New(nil)
			var store driver.Store = mem
			if !hints {
				store = unwatched{mem, mem}
			}
			const n = 12
			holder, served := queued(t, store, n)
			time.Sleep(time.Minute) // places are kept, by the asking
			if waiting, err := mem.Waiters(t.Context(), "report", n); err != nil || len(waiting) != n || waiting[3].Holder != "waiter 3" || waiting[3].Waited < time.Minute {
				t.Errorf("%+v wait, %v", waiting, err)
			}
			l, err := New(store, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := holder.Release(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := l.TryAcquire(t.Context(), "report", Hold{TTL: time.Minute}); !errors.Is(err, ErrHeld) {
				t.Errorf("a newcomer that does not wait: %v; want it refused", err)
			}
			for i := range n {
				if got := <-served; got != i {
					t.Errorf("waiter %d was served in the place of %d (hints: %t)", got, i, hints)
				}
			}
			synctest.Wait()
			if waiting, err := mem.Waiters(t.Context(), "report", n); err != nil || len(waiting) != 0 {
				t.Errorf("left behind: %+v, %v", waiting, err)
			}
		})
	}
}

// TestWaiterThatGivesUpLeaves also shows that the next one is told.
func TestWaiterThatGivesUpLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mem := memstore.New(nil)
		l, err := New(mem, nil)
		if err != nil {
			t.Fatal(err)
		}
		holder, err := l.TryAcquire(t.Context(), "report", Hold{TTL: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		ctx, giveUp := context.WithCancel(t.Context())
		go func() { _, _ = l.Acquire(ctx, "report", time.Hour, Hold{TTL: time.Minute}) }()
		synctest.Wait()
		got := make(chan *Lease, 1)
		go func() {
			lease, err := l.Acquire(t.Context(), "report", time.Hour, Hold{TTL: time.Minute})
			if err != nil {
				t.Error(err)
			}
			got <- lease
		}()
		time.Sleep(30 * time.Second)
		giveUp()
		synctest.Wait()
		begun := time.Now()
		if err := holder.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		lease := <-got
		if took := time.Since(begun); took != 0 {
			t.Errorf("granted %s after the release; want at once, since the one before has left", took)
		}
		lease.Abandon()
		if err := l.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestVanishedWaiterCostsOneTimeOut has a waiter of another process that was killed.
func TestVanishedWaiterCostsOneTimeOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mem := memstore.New(nil)
		r := driver.Request{Name: "report", Attempt: "vanished", Holder: "gone", TTL: time.Hour}
		if _, err := mem.Wait(t.Context(), r, placeKept); err != nil {
			t.Fatal(err)
		}
		l, err := New(mem, nil)
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		lease, err := l.Acquire(t.Context(), "report", time.Hour, Hold{TTL: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took < placeKept || took > placeKept+placeKept/10+maxPause/2 {
			t.Errorf("a vanished waiter cost %s; want %s, and a pause", took, placeKept)
		}
		lease.Abandon()
	})
}

func TestTooManyWaiters(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mem := memstore.New(nil)
		for i := range driver.MaxWaiters {
			r := driver.Request{Name: "report", Attempt: fmt.Sprint(i), TTL: time.Hour}
			if _, err := mem.Wait(t.Context(), r, placeKept); err != nil {
				t.Fatal(err)
			}
		}
		l, err := New(mem, nil)
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		_, err = l.Acquire(t.Context(), "report", time.Hour, Hold{TTL: time.Minute})
		if full, ok := errors.AsType[*FullError](err); !ok || full.Name != "report" || time.Since(begun) != 0 {
			t.Errorf("one more waiter: %v after %s; want a FullError at once", err, time.Since(begun))
		}
	})
}

// TestClosedWhileWaitersLeave: each leaves its line behind the Locker's back, at any moment.
func TestClosedWhileWaitersLeave(t *testing.T) {
	t.Parallel()
	for range 30 {
		mem := memstore.New(nil)
		l, err := New(mem, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.TryAcquire(t.Context(), "report", Hold{TTL: time.Hour}); err != nil {
			t.Fatal(err)
		}
		ctx, quit := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { _, _ = l.Acquire(ctx, "report", time.Hour, Hold{TTL: time.Minute}) })
		}
		for waiting := 0; waiting < 20; runtime.Gosched() {
			line, err := mem.Waiters(t.Context(), "report", 20)
			if waiting = len(line); err != nil {
				t.Fatal(err)
			}
		}
		quit()
		if err := l.Close(t.Context()); err != nil {
			t.Error(err)
		}
		all.Wait()
	}
}
