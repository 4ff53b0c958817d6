package ringfence

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// A handler that hangs keeps no other lease from its end or its renewal.
func TestAnEndWaitsForNoHandler(t *testing.T) {
	t.Parallel()
	for _, kind := range []EventKind{EventLost, EventRenewed} {
		synctest.Test(t, func(t *testing.T) {
			let := make(chan struct{})
			c := newCrowd(t, true, &Options{OnEvent: func(e Event) {
				if e.Kind == kind {
					<-let
				}
			}})
			all := c.take(t, "kept", 300, renewed)
			bounded := c.take(t, "bounded", 300, Hold{TTL: 20 * time.Second})
			time.Sleep(time.Minute)
			for _, le := range bounded {
				wantEnd(t, le.Context(), EndExpired)
			}
			for _, le := range all {
				if err := le.Context().Err(); err != nil {
					t.Fatalf("%s: %v", le.Fence().Name, context.Cause(le.Context()))
				}
			}
			close(let)
			wantHeld(t, all)
		})
	}
}

// The release of one lease waits neither for the call that holds it nor for the others
// in it, whether the store has carried that out or not.
func TestAReleaseWaitsForNoBatch(t *testing.T) {
	t.Parallel()
	for _, before := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var released atomic.Bool
			var after atomic.Int64 // events of the term that was released
			c := newCrowd(t, true, &Options{OnEvent: func(e Event) {
				if e.Fence.Name == "job0" && released.Load() {
					after.Add(1)
				}
			}})
			all := c.take(t, "job", 300, renewed)
			if before {
				c.link.set(takes(3*time.Second), nil)
			} else {
				c.link.set(nil, takes(3*time.Second))
			}
			for !c.link.holds("job0") {
				time.Sleep(100 * time.Millisecond)
				synctest.Wait()
			}
			begun := time.Now()
			if err := all[0].Release(t.Context()); err != nil || time.Since(begun) != 0 {
				t.Errorf("released after %s: %v", time.Since(begun), err)
			}
			released.Store(true)
			time.Sleep(5 * time.Second) // until the call is answered
			if s, _ := c.mem.Inspect(t.Context(), "job0"); s.State != driver.Released || after.Load() != 0 {
				t.Errorf("after the release: %s, %d events", s.State, after.Load())
			}
			wantHeld(t, all[1:])
		})
	}
}

// Who gave a lease back is told of its loss before anything else.
func TestALossIsToldBeforeWhatFollows(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]func(context.Context, *Lease) error{
		"renew":   func(ctx context.Context, le *Lease) error { return le.Renew(ctx) },
		"release": func(ctx context.Context, le *Lease) error { return le.Release(ctx) },
	} {
		synctest.Test(t, func(t *testing.T) {
			let := make(chan struct{})
			c := newCrowd(t, true, &Options{OnEvent: func(e Event) {
				if e.Kind == EventLost {
					<-let
				}
			}})
			le := c.take(t, "job", 1, Hold{TTL: time.Second})[0]
			<-le.Context().Done()
			done := make(chan error, 1)
			go func() { done <- step(t.Context(), le) }()
			synctest.Wait()
			if len(done) != 0 {
				t.Errorf("%s went ahead of the loss", name)
			}
			close(let)
			<-done
		})
	}
}

func TestALeaseWhoseContextEndedIsForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, true, nil)
		ctx, cancel := context.WithCancel(t.Context())
		if _, err := c.TryAcquire(ctx, "job", Hold{TTL: time.Hour}); err != nil {
			t.Fatal(err)
		}
		cancel()
		time.Sleep(sweepEvery)
		synctest.Wait()
		if n := c.keeper.leases.Len(); n != 0 {
			t.Errorf("%d leases are still looked after", n)
		}
	})
}

func TestEachLeaseEndsOnTheClockThatMovedMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var skew atomic.Int64
		c := newCrowd(t, true, &Options{Clock: func() time.Time { return time.Now().Add(time.Duration(skew.Load())) }})
		all := c.take(t, "job", 100, renewed)
		long := c.take(t, "long", 100, Hold{TTL: time.Hour})
		time.Sleep(5 * time.Second)
		skew.Store(int64(time.Minute)) // the machine slept
		time.Sleep(time.Second)
		synctest.Wait()
		for _, le := range all {
			wantEnd(t, le.Context(), EndExpired)
		}
		wantHeld(t, long)
	})
}

// Not parallel, so that nobody else's goroutines are counted.
func TestALeaseHasNoGoroutine(t *testing.T) {
	c := newCrowd(t, true, nil)
	before := runtime.NumGoroutine()
	all := c.take(t, "job", 1000, renewed)
	if n := runtime.NumGoroutine() - before; n > 10 {
		t.Errorf("%d goroutines for 1,000 leases", n)
	}
	wantHeld(t, all)
	c.keeper.mu.Lock()
	defer c.keeper.mu.Unlock()
	if c.keeper.timer != nil || len(c.keeper.leases) != 0 {
		t.Error("the keeper works for no lease")
	}
}

// An attempt to renew what has run out ends the context, whoever notices first.
func TestRenewOfALapsedLeaseEndsItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		lease, err := b.TryAcquire(t.Context(), "report", Hold{TTL: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		b.setSkew(time.Hour)
		if err := lease.Renew(t.Context()); !errors.Is(err, ErrEnded) {
			t.Errorf("got %v", err)
		}
		wantEnd(t, lease.Context(), EndExpired)
		if b.saw(EventLost) != 1 {
			t.Errorf("the loss was told %d times", b.saw(EventLost))
		}
	})
}
