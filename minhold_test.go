package ringfence

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// heldFor is how long the store will keep others out of the name.
func (b *bench) heldFor(t *testing.T, name string) time.Duration {
	t.Helper()
	r, err := b.mem.Inspect(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	return r.Remaining
}

// TestMinHoldOutlastsShortWork: whatever the lease's own length, shorter or longer, the
// name is held for MinHold from the grant on, and not for much longer.
func TestMinHoldOutlastsShortWork(t *testing.T) {
	t.Parallel()
	for name, work := range map[string]Work{
		"bounded":          {Timeout: time.Second, Grace: time.Second},
		"bounded for long": {Timeout: time.Hour},
		"renewed":          {Renew: true, Lease: 3 * time.Second},
		"renewed for long": {Renew: true, Lease: time.Hour},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			work.MinHold, work.Unavailable = 50*time.Second, Fail
			err := b.Run(t.Context(), "tick", work, func(context.Context, *Lease) error {
				time.Sleep(500 * time.Millisecond)
				return nil
			})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if left := b.heldFor(t, "tick"); left < 49500*time.Millisecond || left > 50*time.Second {
				t.Errorf("%s: after 500ms of work the name is held for another %s", name, left)
			}
			if b.saw(EventReleased) != 1 || time.Until(b.events[len(b.events)-1].Until) < 49*time.Second {
				t.Errorf("%s: the release was told as %+v", name, b.events)
			}
			_, err = b.Acquire(t.Context(), "tick", time.Minute, Hold{TTL: time.Second})
			if err != nil {
				t.Errorf("%s: afterwards: %v", name, err)
			}
		})
	}
}

func TestMinHoldThatHasPassedKeepsNothing(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*Lease){
		"longer work": func(*Lease) { time.Sleep(10 * time.Second) },
		"no work":     (*Lease).Waive,
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			err := b.Run(t.Context(), "tick", Work{Timeout: time.Minute, MinHold: 5 * time.Second, Unavailable: Fail},
				func(_ context.Context, lease *Lease) error { end(lease); return nil })
			if s := b.state(t, "tick"); err != nil || s != driver.Released {
				t.Errorf("%s: the store says %s (%v)", name, s, err)
			}
		})
	}
}

// TestMinHoldNeedsNobody: the name is held for as long when its holder vanishes.
func TestMinHoldNeedsNobody(t *testing.T) {
	t.Parallel()
	for _, hold := range []Hold{{TTL: time.Second}, {TTL: 3 * time.Second, Renew: true}} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			hold.MinHold = time.Minute
			lease, err := b.TryAcquire(t.Context(), "tick", hold)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second) // some renewals, where there are any
			lease.Abandon()
			if left := b.heldFor(t, "tick"); left < 50*time.Second || left > 51*time.Second {
				t.Errorf("%+v: held for another %s", hold, left)
			}
		})
	}
}

// TestMinHoldIsNotShortenedByAClock: the wall clock is set forward during the work.
func TestMinHoldIsNotShortenedByAClock(t *testing.T) {
	t.Parallel()
	for _, skew := range []time.Duration{time.Hour, -time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			lease, err := b.TryAcquire(t.Context(), "tick", Hold{TTL: 2 * time.Hour, MinHold: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			b.setSkew(skew)
			if err := lease.Release(t.Context()); err != nil {
				t.Fatal(err)
			}
			if left := b.heldFor(t, "tick"); left < time.Minute || left > 61*time.Second {
				t.Errorf("wall clock moved by %s: held for another %s", skew, left)
			}
		})
	}
}

func TestMinHoldReleaseThatGetsLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		work := Work{Timeout: time.Second, Grace: time.Second, MinHold: time.Minute, Unavailable: Fail}
		b.link.set(nil, on("renew", 1, ErrUnknown)) // the store did it, and nobody was told
		err := b.Run(t.Context(), "tick", work, func(context.Context, *Lease) error { return nil })
		if err != nil || b.saw(EventReleased) != 1 || b.saw(EventUntold) != 0 {
			t.Errorf("after a lost reply: %v, %+v", err, b.events)
		}
	})
}

// TestMinHoldStoreDownAtTheRelease: nobody has to reach the store for the name to stay held.
func TestMinHoldStoreDownAtTheRelease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		work := Work{Timeout: time.Second, Grace: time.Second, MinHold: time.Minute, Unavailable: Fail}
		err := b.Run(t.Context(), "tick", work, func(context.Context, *Lease) error {
			b.link.set(always(ErrUnknown), nil)
			return nil
		})
		if err != nil || b.saw(EventUntold) != 1 || b.heldFor(t, "tick") < 59*time.Second {
			t.Errorf("got %v, %+v, held for another %s", err, b.events, b.heldFor(t, "tick"))
		}
		if until := b.events[len(b.events)-1].Until; time.Until(until) < time.Minute+4*time.Second {
			t.Errorf("held for another %s at most, says the event, though a call may take 5 s to get there", time.Until(until))
		}
	})
}

func TestMinHoldOfALostTerm(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		err := b.Run(t.Context(), "tick", Work{Timeout: time.Second, MinHold: time.Minute, Unavailable: Fail},
			func(ctx context.Context, _ *Lease) error { _, err := b.mem.Break(ctx, "tick", "ops"); return err })
		lost, ok := errors.AsType[*LostError](err)
		if !ok || lost.Cause != EndForced {
			t.Errorf("got %v, want a loss by force", err)
		}
	})
}

func TestBadMinHold(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{-1, driver.MaxTTL + 1} {
		if _, err := (Work{Timeout: time.Second, MinHold: d, Unavailable: Fail}).Plan(); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", d, err)
		}
	}
}

// TestMinHoldLeftBeforeTheRetry: the store has cut the lease to a moment, that was not
// told, and it is over when the holder asks again.
func TestMinHoldLeftBeforeTheRetry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.link.set(nil, on("renew", 1, ErrUnknown))
		err := b.Run(t.Context(), "tick", Work{Timeout: time.Minute, MinHold: time.Second, Unavailable: Fail},
			func(context.Context, *Lease) error { time.Sleep(990 * time.Millisecond); return nil })
		if s := b.state(t, "tick"); err != nil || s != driver.Expired {
			t.Errorf("got %v, and the store says %s", err, s)
		}
	})
}
