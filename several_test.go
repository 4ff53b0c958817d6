package ringfence

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

var three = Kind{Also: []string{"b", "c"}}

// TestALossOfSeveralIsToldOfItsName: the work ends with the first, and the others are released.
func TestALossOfSeveralIsToldOfItsName(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var lost fence.Fence
		err := b.Run(t.Context(), "a", Work{Renew: true, Unavailable: Fail, Kind: three}, func(ctx context.Context, lease *Lease) error {
			lost = lease.FenceOf("b")
			if _, err := b.mem.Break(ctx, "b", "ops"); err != nil {
				t.Error(err)
			}
			<-ctx.Done()
			return nil
		})
		told, ok := errors.AsType[*LostError](err)
		if !ok || told.Fence != lost || told.Cause != EndForced || !told.Suspect {
			t.Errorf("got %v", err)
		}
		for name, want := range map[string]driver.State{"a": driver.Released, "b": driver.Forced, "c": driver.Released} {
			if s := b.state(t, name); s != want {
				t.Errorf("%s is %s", name, s)
			}
		}
		if b.saw(EventLost) != 1 || b.saw(EventSuspect) != 1 || b.saw(EventReleased) != 2 {
			t.Errorf("told: %+v", b.events)
		}
	})
}

// TestSeveralAreTrustedAsTheWeakest: each of their methods speaks of all of them.
func TestSeveralAreTrustedAsTheWeakest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		lease, err := b.TryAcquire(t.Context(), "c", Hold{TTL: time.Minute, Kind: Kind{Also: []string{"a"}}})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Second)
		if err := lease.with[0].renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		if left := lease.Remaining(); left > 30*time.Second || time.Until(lease.TrustedUntil()) != left {
			t.Errorf("%s are left, until %s", left, lease.TrustedUntil())
		}
		if err := lease.Renew(t.Context()); err != nil || lease.Remaining() < 59*time.Second {
			t.Errorf("renewed: %v, %s are left", err, lease.Remaining())
		}
		if g := lease.Grant(); g != (Grant{}) {
			t.Errorf("written down as %+v", g)
		}
		lease.Abandon()
		if lease.with[0].ctx.Err() == nil || b.heldFor(t, "a") == 0 {
			t.Error("Abandon has left one to be renewed, or has released it")
		}
	})
}

// TestBoundedLeasesAreRenewedWhileTheyWaitOnly: each lasts for its length afterwards, and no longer.
func TestBoundedLeasesAreRenewedWhileTheyWaitOnly(t *testing.T) {
	t.Parallel()
	for what, kind := range map[string]Kind{"several": {Also: []string{"z"}}, "a writer": {Access: Exclusive}} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			var before *Lease
			var err error
			if kind.Access == 0 {
				before, err = b.TryAcquire(t.Context(), "z", Hold{TTL: time.Hour})
			} else {
				before, err = b.TryAcquire(t.Context(), "a", Hold{TTL: time.Hour, Kind: Kind{Access: Shared}})
			}
			if err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(time.Minute, func() { _ = before.Release(context.Background()) })
			lease, err := b.Acquire(t.Context(), "a", 2*time.Minute, Hold{TTL: 9 * time.Second, Kind: kind})
			if err != nil {
				t.Fatal(err)
			}
			if left := lease.Remaining(); left < 8*time.Second || b.saw(EventLost) != 0 {
				t.Errorf("%s: after the wait %s are left of 9s, and %d leases were lost meanwhile", what, left, b.saw(EventLost))
			}
			renewals := b.link.count("renew")
			begun := time.Now()
			<-lease.Context().Done()
			if took := time.Since(begun); took > 9*time.Second || b.link.count("renew") > renewals {
				t.Errorf("%s: it lasted for %s, with %d more renewals", what, took, b.link.count("renew")-renewals)
			}
		})
	}
}

// TestTheLossOfOneEndsTheWaitForTheNext: and what is left of the wait begins anew.
func TestTheLossOfOneEndsTheWaitForTheNext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		if _, err := b.mem.Acquire(t.Context(), driver.Request{Name: "b", Attempt: "another", TTL: 40 * time.Second}); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(10*time.Second, func() { _, _ = b.mem.Break(context.Background(), "a", "ops") })
		lease, err := b.Acquire(t.Context(), "a", time.Minute, Hold{TTL: 9 * time.Second, Renew: true, Kind: Kind{Also: []string{"b"}}})
		if err != nil || lease.Context().Err() != nil {
			t.Fatalf("got %v", err)
		}
		if b.saw(EventLost) != 1 || lease.FenceOf("a").Token == 1 {
			t.Errorf("%d losses were told, and the lease has %v", b.saw(EventLost), lease.FenceOf("a"))
		}
		if b.saw(EventReclaimed) != 1 {
			t.Errorf("nothing tells that nobody has worked under the one that was lost: %+v", b.events)
		}
	})
}

// TestARefusedReleaseOfSeveralIsTriedAgain: it tells of no loss where there was none.
func TestARefusedReleaseOfSeveralIsTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		lease, err := b.TryAcquire(t.Context(), "a", Hold{TTL: time.Minute, Kind: three})
		if err != nil {
			t.Fatal(err)
		}
		b.link.set(on("release", 2, ErrUnavailable), nil)
		if err := lease.Release(t.Context()); !errors.Is(err, ErrUnavailable) || errors.Is(err, ErrEnded) {
			t.Errorf("one of three could not be told: %v", err)
		}
		b.link.set(nil, nil)
		if err := lease.Release(t.Context()); err != nil {
			t.Errorf("told again: %v", err)
		}
		for _, name := range []string{"a", "b", "c"} {
			if s := b.state(t, name); s != driver.Released {
				t.Errorf("%s is %s", name, s)
			}
		}
		if err := lease.Release(t.Context()); !errors.Is(err, ErrEnded) {
			t.Errorf("released before: %v", err)
		}
	})
}

// TestAStoreThatHangsCostsManyNoMoreThanOne: the names are released at the same time.
func TestAStoreThatHangsCostsManyNoMoreThanOne(t *testing.T) {
	t.Parallel()
	hung := func(op string, _ int) error {
		if op == "release" {
			time.Sleep(5 * time.Second)
			return &driver.Fault{Kind: ErrUnknown, Err: errLink}
		}
		return nil
	}
	for _, names := range [][]string{{"b"}, {"b", "c", "d", "e", "f", "g", "h"}} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			var begun time.Time
			err := b.Run(t.Context(), "a", Work{Timeout: time.Hour, Unavailable: Fail, Kind: Kind{Also: names}}, func(context.Context, *Lease) error {
				b.link.set(hung, nil)
				begun = time.Now()
				return nil
			})
			if took := time.Since(begun); err != nil || took > 17*time.Second || b.saw(EventUntold) != len(names)+1 {
				t.Errorf("%d names: it took %s (%v), and %d were untold", len(names)+1, took, err, b.saw(EventUntold))
			}
			b.link.set(nil, nil)
		})
	}
}
