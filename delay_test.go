package ringfence

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

const delay = 10 * time.Second

func delayed(ttl time.Duration) Hold {
	return Hold{TTL: ttl, Kind: Kind{DelayAfterExpiry: delay}}
}

// settle leaves a release of the name on record.
func (b *bench) settled(t *testing.T, name string) {
	t.Helper()
	lease, err := b.TryAcquire(t.Context(), name, Hold{TTL: time.Second})
	if err == nil {
		err = lease.Release(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// asked is how long an acquire took.
func (b *bench) asked(t *testing.T, name string, h Hold) (*Lease, time.Duration) {
	t.Helper()
	begun := time.Now()
	lease, err := b.TryAcquire(t.Context(), name, h)
	if err != nil {
		t.Fatal(err)
	}
	return lease, time.Since(begun)
}

// TestDelayWhereNoRecordTells: a new name, and one that was broken or whose record can't be read.
func TestDelayWhereNoRecordTells(t *testing.T) {
	t.Parallel()
	for what, prepare := range map[string]func(*testing.T, *bench){
		"no record": func(*testing.T, *bench) {},
		"a break": func(t *testing.T, b *bench) {
			b.settled(t, "pump")
			lease, _ := b.asked(t, "pump", delayed(time.Hour))
			if _, err := b.mem.Break(t.Context(), "pump", "ops"); err != nil {
				t.Fatal(err)
			}
			lease.Abandon()
		},
	} {
		for _, h := range []Hold{delayed(time.Second), delayed(time.Minute), {TTL: 3 * time.Second, Renew: true, Kind: Kind{DelayAfterExpiry: delay}}} {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				prepare(t, b)
				lease, took := b.asked(t, "pump", h)
				if took < delay || took > delay+time.Second {
					t.Errorf("%s, a lease of %s: the acquire took %s", what, h.TTL, took)
				}
				if n := len(b.events); n < 1 || !slices.ContainsFunc(b.events, func(e Event) bool { return e.Kind == EventWaiting && e.Reason() == "delay" }) {
					t.Errorf("%s: nobody was told of the delay: %+v", what, b.events)
				}
				if left := lease.Remaining(); left < h.TTL*6/10 || left > h.TTL {
					t.Errorf("%s, a lease of %s: afterwards %s are left", what, h.TTL, left)
				}
				if err := lease.Release(t.Context()); err != nil || b.state(t, "pump") != driver.Released {
					t.Errorf("%s: the release: %v, and the store says %s", what, err, b.state(t, "pump"))
				}
				if _, took := b.asked(t, "pump", h); took != 0 {
					t.Errorf("%s: after a release the acquire took %s", what, took)
				}
			})
		}
	}
}

// TestADelayIsLeftToTheNext: whoever gives up during the delay, told or not, leaves the rest of it.
func TestADelayIsLeftToTheNext(t *testing.T) {
	t.Parallel()
	for what, leave := range map[string]func(*bench, context.CancelFunc){
		"gave up":           func(_ *bench, cancel context.CancelFunc) { cancel() },
		"lost its link too": func(b *bench, cancel context.CancelFunc) { b.link.set(always(ErrUnavailable), nil); cancel() },
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			ctx, cancel := context.WithCancel(t.Context())
			from := time.Now()
			time.AfterFunc(delay/2, func() { leave(b, cancel) })
			if _, err := b.TryAcquire(ctx, "pump", delayed(time.Second)); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", what, err)
			}
			b.link.set(nil, nil)
			if _, err := b.TryAcquire(t.Context(), "pump", delayed(time.Second)); !errors.Is(err, ErrHeld) {
				t.Errorf("%s: the next one got %v", what, err)
			}
			if _, err := b.Acquire(t.Context(), "pump", time.Minute, delayed(time.Second)); err != nil || time.Since(from) < delay {
				t.Errorf("%s: the next one had it after %s (%v)", what, time.Since(from), err)
			}
		})
	}
}

// TestAnUnansweredGrantLeavesItsDelay: nobody learned of the grant, and it is given back in a
// way that takes no delay from the next.
func TestAnUnansweredGrantLeavesItsDelay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		from := time.Now()
		b.link.set(nil, func(op string, n int) error { return on(op, min(n, 3), ErrUnknown)("acquire", n) })
		if _, err := b.TryAcquire(t.Context(), "pump", delayed(time.Hour)); !errors.Is(err, ErrUnknown) {
			t.Fatalf("got %v", err)
		}
		if _, err := b.Acquire(t.Context(), "pump", time.Minute, delayed(time.Second)); err != nil || time.Since(from) < delay {
			t.Errorf("the next one had it after %s (%v)", time.Since(from), err)
		}
	})
}

// TestTheDelayIsNoTrust: it is not the holder's own, however it holds.
func TestTheDelayIsNoTrust(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.settled(t, "pump")
		begun := time.Now()
		err := b.Run(t.Context(), "pump", Work{Renew: true, Lease: 9 * time.Second, Grace: time.Second, Unavailable: Fail, Kind: Kind{DelayAfterExpiry: delay}},
			func(ctx context.Context, lease *Lease) error {
				b.link.set(always(ErrUnavailable), nil)
				<-ctx.Done()
				return ctx.Err()
			})
		lost, ok := errors.AsType[*LostError](err)
		if !ok || lost.Cause != EndUnreachable || time.Since(begun) > 9*time.Second {
			t.Errorf("after %s: %v", time.Since(begun), err)
		}
		if left := b.heldFor(t, "pump"); left < delay || left > delay+2*time.Second {
			t.Errorf("then the name is held for another %s", left)
		}
	})
}

// TestABreakDuringTheDelayIsNoOutage: work that runs unfenced would run before the delay has passed.
func TestABreakDuringTheDelayIsNoOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		time.AfterFunc(delay/2, func() { _, _ = b.mem.Break(context.Background(), "pump", "ops") })
		work := Work{Renew: true, Lease: 3 * time.Second, Unavailable: RunUnfenced, Kind: Kind{DelayAfterExpiry: delay}}
		ran := false
		err := b.Run(t.Context(), "pump", work, func(context.Context, *Lease) error { ran = true; return nil })
		if ran || !errors.Is(err, ErrUnavailable) {
			t.Errorf("the work ran: %v; got %v", ran, err)
		}
	})
}

func TestADelayedLeaseIsWrittenDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.settled(t, "pump")
		lease, _ := b.asked(t, "pump", delayed(time.Minute))
		g := lease.Grant()
		lease.Abandon()
		again := resume(t, b, g, 0)
		if err := again.Renew(t.Context()); err != nil || again.Remaining() > time.Minute || b.heldFor(t, "pump") < time.Minute+delay {
			t.Errorf("resumed: %v; trusted for %s, held for %s", err, again.Remaining(), b.heldFor(t, "pump"))
		}
	})
}

// TestALongDelayTakesNothingOffAShortLease: two clocks that drift apart do so for as long as
// the lease is trusted.
func TestALongDelayTakesNothingOffAShortLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.settled(t, "pump")
		lease, _ := b.asked(t, "pump", Hold{TTL: time.Second, Kind: Kind{DelayAfterExpiry: 24 * time.Hour}})
		if left := lease.Remaining(); left < 990*time.Millisecond || left > time.Second {
			t.Errorf("a lease of 1s is trusted for %s", left)
		}
	})
}

// TestAfterALossTheDelayIsKept: work that returns when its trust is over, and within the
// delay, does not free the name: nobody knows what of it is still on its way.
func TestAfterALossTheDelayIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.settled(t, "pump")
		over := time.Now()
		w := Work{Timeout: time.Second, Unavailable: Fail, Kind: Kind{DelayAfterExpiry: delay}}
		err := b.Run(t.Context(), "pump", w, func(_ context.Context, lease *Lease) error {
			over = over.Add(lease.Remaining())
			time.Sleep(lease.Remaining() + time.Second)
			return nil
		})
		if lost, ok := errors.AsType[*LostError](err); !ok || lost.Cause != EndExpired {
			t.Errorf("got %v", err)
		}
		next, err := b.Acquire(t.Context(), "pump", time.Minute, Hold{TTL: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		defer next.Abandon()
		if after := time.Since(over); after < delay {
			t.Errorf("the next one began %s after the trust was over; want %s", after, delay)
		}
	})
}
