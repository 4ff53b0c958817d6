package ringfence

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// writtenDown is a lease of ten seconds that its process has left to another one.
func writtenDown(t *testing.T, b *bench) Grant {
	t.Helper()
	lease, err := b.TryAcquire(t.Context(), "report", Hold{TTL: 10 * time.Second, Holder: "script"})
	if err != nil {
		t.Fatal(err)
	}
	g := lease.Grant()
	lease.Abandon()
	return g
}

func resume(t *testing.T, b *bench, g Grant, age time.Duration) *Lease {
	t.Helper()
	lease, err := b.Resume(t.Context(), g, age)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lease.Abandon)
	return lease
}

func TestResumedLeaseIsRenewedAndReleased(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		g := writtenDown(t, b)
		if g.Fence.Name != "report" || !g.Fence.Token.Valid() || g.Holder != "script" || g.TTL != 10*time.Second {
			t.Errorf("written down: %+v", g)
		}
		time.Sleep(8 * time.Second)
		lease := resume(t, b, g, 0)
		if left := lease.Remaining(); left > 2*time.Second || left < 1900*time.Millisecond {
			t.Errorf("8 s later %s remain", left)
		}
		if err := lease.Renew(t.Context()); err != nil || lease.Fence() != g.Fence {
			t.Errorf("renewal: %v, %v", err, lease.Fence())
		}
		g = lease.Grant()
		lease.Abandon()
		time.Sleep(8 * time.Second)
		if err := resume(t, b, g, 0).Release(t.Context()); err != nil || b.state(t, "report") != driver.Released {
			t.Errorf("release: %v, and the store says %s", err, b.state(t, "report"))
		}
		ended, ok := errors.AsType[*EndedError](resume(t, b, g, 0).Release(t.Context()))
		if !ok || ended.Cause != EndReleased {
			t.Errorf("a second release: %v", ended)
		}
	})
}

// TestResumedTrustCountsTheClockThatMovedMore: the wall clock may have been set back since.
func TestResumedTrustCountsTheClockThatMovedMore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		skew, age time.Duration
	}{"both": {0, 4 * time.Second}, "wall set back": {-time.Hour, 4 * time.Second}, "wall alone": {0, 0}} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			g := writtenDown(t, b)
			time.Sleep(4 * time.Second)
			b.setSkew(c.skew)
			lease := resume(t, b, g, c.age)
			if left := lease.Remaining(); left > 6*time.Second || left < 5900*time.Millisecond {
				t.Errorf("%s: %s remain", name, left)
			}
			b.setSkew(0)
			<-lease.Context().Done()
			wantEnd(t, lease.Context(), EndExpired)
		})
	}
}

func TestResumedTooLateIsOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		g := writtenDown(t, b)
		time.Sleep(g.Trust) // the store's lease lasts for a moment more
		lease := resume(t, b, g, 0)
		wantEnd(t, lease.Context(), EndExpired)
		if err := lease.Renew(t.Context()); !errors.Is(err, ErrEnded) || b.link.count("renew") != 0 {
			t.Errorf("renewal: %v, and the store was asked %d times", err, b.link.count("renew"))
		}
		if b.saw(EventLost) != 1 {
			t.Errorf("told: %+v", b.events)
		}
		if err := lease.Release(t.Context()); err != nil || b.state(t, "report") != driver.Released {
			t.Errorf("release: %v", err)
		}
	})
}

func TestBadGrant(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	good := Grant{Fence: fence.Fence{Name: "report", Token: 5}, Attempt: "a", TTL: time.Second, Trust: time.Second, Sent: time.Now()}
	for what, spoil := range map[string]func(*Grant){
		"no name": func(g *Grant) { g.Fence.Name = "" }, "no token": func(g *Grant) { g.Fence.Token = 0 },
		"no attempt": func(g *Grant) { g.Attempt = "" }, "no lease": func(g *Grant) { g.TTL = 0 },
		"no time": func(g *Grant) { g.Sent = time.Time{} }, "trusted for ever": func(g *Grant) { g.Trust = driver.MaxTTL + 1 },
	} {
		g := good
		spoil(&g)
		if _, err := b.Resume(t.Context(), g, 0); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
