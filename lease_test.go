package ringfence

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

func TestTrustEndsBeforeTheStoresLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		sent := time.Now()
		b.link.set(nil, func(op string, _ int) error { time.Sleep(3 * time.Second); return nil }) // a slow reply
		lease, err := b.TryAcquire(t.Context(), "report", Hold{TTL: 10 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		until := lease.TrustedUntil()
		if most := sent.Add(10 * time.Second); !until.Before(most) || until.Before(most.Add(-time.Second)) {
			t.Fatalf("trusted until %s after sending, want just under 10 s", until.Sub(sent))
		}
		<-lease.Context().Done()
		if now := time.Now(); now.Before(until) || now.After(sent.Add(10*time.Second)) {
			t.Fatalf("the context ended %s after sending", now.Sub(sent))
		}
		wantEnd(t, lease.Context(), EndExpired)
		if s := b.state(t, "report"); s != driver.Held {
			t.Fatalf("the store says %s before its lease ended", s)
		}
	})
}

func TestASetWallClockEndsTrustAndAStoppedOneDoesNot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		skew time.Duration
		want time.Duration
	}{{time.Hour, time.Second}, {-time.Hour, 10 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			begun := time.Now()
			lease, err := b.TryAcquire(t.Context(), "report", Hold{TTL: 10 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait() // it sleeps until the end that it saw
			b.setSkew(c.skew)
			if left, until := lease.Remaining(), time.Until(lease.TrustedUntil()); left != until {
				t.Errorf("wall clock moved by %s: %s remain, TrustedUntil says %s", c.skew, left, until)
			}
			<-lease.Context().Done()
			if took := time.Since(begun); took > c.want || took < c.want-time.Second {
				t.Errorf("wall clock moved by %s: the context ended after %s, want about %s", c.skew, took, c.want)
			}
		})
	}
}

func TestRenewalKeepsTheLeaseAndTheToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		lease, err := b.TryAcquire(t.Context(), "leader", Hold{TTL: 9 * time.Second, Renew: true, Notice: 3 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if err := lease.Context().Err(); err != nil {
			t.Fatalf("lost after an hour of renewals: %v", context.Cause(lease.Context()))
		}
		r, _ := b.mem.Inspect(t.Context(), "leader")
		if r.State != driver.Held || r.Token != lease.Fence().Token {
			t.Fatalf("the store says %+v, the lease has token %s", r, lease.Fence().Token)
		}
		// A third of the lease, give or take a tenth.
		if n := b.link.count("renew"); n < 3600/4 || n > 3600/2 {
			t.Errorf("%d renewals in an hour of leases of 9 s", n)
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantEnd(t, lease.Context(), EndReleased)
		if s := b.state(t, "leader"); s != driver.Released {
			t.Errorf("after the release the store says %s", s)
		}
	})
}

func TestScenario_R09_OneBadRenewal(t *testing.T) {
	t.Parallel()
	for _, kind := range []error{ErrUnknown, ErrUnavailable} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			lease, err := b.TryAcquire(t.Context(), "leader", Hold{TTL: 9 * time.Second, Renew: true, Notice: 2 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			b.link.set(on("renew", 1, kind), nil)
			time.Sleep(20 * time.Second)
			if err := lease.Context().Err(); err != nil {
				t.Errorf("one renewal failed with %v and the lease was lost: %v", kind, context.Cause(lease.Context()))
			}
			if b.saw(EventRenewFailed) != 1 {
				t.Errorf("%d failed renewals were told of, want 1", b.saw(EventRenewFailed))
			}
			_ = lease.Release(t.Context())
		})
	}
}

func TestAnUnreachableStoreEndsTheContextWithNotice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		begun := time.Now()
		lease, err := b.TryAcquire(t.Context(), "leader", Hold{TTL: 9 * time.Second, Renew: true, Notice: 3 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		b.link.set(always(ErrUnavailable), nil)
		<-lease.Context().Done()
		wantEnd(t, lease.Context(), EndUnreachable)
		if took := time.Since(begun); took > 6*time.Second || took < 5*time.Second {
			t.Errorf("the context ended after %s, want its notice of 3 s before the lease of 9 s", took)
		}
		if n := b.link.count("renew"); n < 3 {
			t.Errorf("%d tries to renew inside the window", n)
		}
		b.link.set(nil, nil)
	})
}

func TestARenewalLearnsWhyTheTermIsOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		lease, err := b.TryAcquire(t.Context(), "leader", Hold{TTL: 9 * time.Second, Renew: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.mem.Break(t.Context(), "leader", "operator"); err != nil {
			t.Fatal(err)
		}
		<-lease.Context().Done()
		wantEnd(t, lease.Context(), EndForced)
		if err := lease.Renew(t.Context()); !errors.Is(err, ErrEnded) {
			t.Errorf("renewing a broken term: %v", err)
		}
		if b.saw(EventLost) != 1 {
			t.Errorf("the loss was told %d times", b.saw(EventLost))
		}
	})
}

func TestScenario_R06_LateRelease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		a, err := b.TryAcquire(t.Context(), "report", Hold{TTL: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		second, err := b.TryAcquire(t.Context(), "report", Hold{TTL: time.Minute}) // the same holder label
		if err != nil {
			t.Fatal(err)
		}
		err = a.Release(t.Context())
		if ended, ok := errors.AsType[*EndedError](err); !ok || ended.Cause != EndSuperseded {
			t.Errorf("a late release said %v, want superseded", err)
		}
		if err := second.Renew(t.Context()); err != nil {
			t.Errorf("the late release disturbed its successor: %v", err)
		}
		second.Abandon()
	})
}

func TestScenario_R08_RenewalCommittedReplyLostThenRelease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		lease, err := b.TryAcquire(t.Context(), "leader", Hold{TTL: 9 * time.Second, Renew: true})
		if err != nil {
			t.Fatal(err)
		}
		b.link.set(nil, on("renew", 1, ErrUnknown))
		time.Sleep(3300 * time.Millisecond) // the first renewal lies behind
		if err := lease.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		other, err := b.TryAcquire(t.Context(), "leader", Hold{TTL: time.Minute})
		if err != nil {
			t.Fatalf("not free at once for others: %v", err)
		}
		renewals := b.link.count("renew")
		time.Sleep(time.Minute)
		if b.link.count("renew") != renewals {
			t.Error("a heartbeat went on after the release")
		}
		other.Abandon()
	})
}

func TestReleaseWhoseReplyIsLostIsAskedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		lease, err := b.TryAcquire(t.Context(), "report", Hold{TTL: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		b.link.set(nil, on("release", 1, ErrUnknown))
		if err := lease.Release(t.Context()); err != nil {
			t.Errorf("the release got through, its reply did not: %v", err)
		}
		if err := lease.Release(t.Context()); !errors.Is(err, ErrEnded) {
			t.Errorf("a second release: %v, want ErrEnded", err)
		}
	})
}

func TestTheLeaseLivesNoLongerThanItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		ctx, cancel := context.WithCancel(t.Context())
		lease, err := b.TryAcquire(ctx, "leader", Hold{TTL: 9 * time.Second, Renew: true})
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		time.Sleep(10 * time.Second) // R12: nobody releases it
		if s := b.state(t, "leader"); s != driver.Expired {
			t.Errorf("a leaked handle whose context ended: the store says %s", s)
		}
		if lease.Context().Err() == nil {
			t.Error("the lease's context outlived its parent")
		}
	})
}

// A store that takes a renewal and never answers is unreachable, though no renewal
// has failed yet when trust runs out.
func TestARenewalThatHangsEndsTheContextAsUnreachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		lease, err := b.TryAcquire(t.Context(), "job", Hold{TTL: 3 * time.Second, Renew: true, Notice: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		held := make(chan struct{})
		b.link.set(func(op string, _ int) error {
			if op == "renew" {
				<-held
			}
			return nil
		}, nil)
		<-lease.Context().Done()
		wantEnd(t, lease.Context(), EndUnreachable)
		close(held)
		lease.Abandon()
	})
}
