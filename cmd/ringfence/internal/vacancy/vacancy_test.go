package vacancy

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/memstore"
)

// link is a store that can't be asked while it is down.
type link struct {
	driver.Store
	fault error
}

func (l *link) Inspect(ctx context.Context, name string) (driver.Record, error) {
	if l.fault != nil {
		return driver.Record{}, l.fault
	}
	return l.Store.Inspect(ctx, name)
}

func bench(t *testing.T) (*ringfence.Locker, *link) {
	t.Helper()
	s := &link{Store: memstore.New(nil)}
	l, err := ringfence.New(s, &ringfence.Options{Holder: "tester"})
	if err != nil {
		t.Fatal(err)
	}
	return l, s
}

func hold(t *testing.T, l *ringfence.Locker, ttl time.Duration) *ringfence.Lease {
	t.Helper()
	lease, err := l.TryAcquire(t.Context(), "report", ringfence.Hold{TTL: ttl})
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

func TestAFreeNameIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, _ := bench(t)
		begun := time.Now()
		r, err := Wait(t.Context(), l, "report", time.Minute, func(err error) { t.Errorf("told %v", err) })
		if err != nil || r.State != driver.Free || time.Since(begun) != 0 {
			t.Errorf("got %+v, %v after %s", r, err, time.Since(begun))
		}
	})
}

func TestTheEndOfALeaseIsNotOverslept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, _ := bench(t)
		lease, begun, told := hold(t, l, 10*time.Second), time.Now(), 0
		r, err := Wait(t.Context(), l, "report", time.Hour, func(err error) {
			told++
			if held, ok := errors.AsType[*ringfence.HeldError](err); !ok || held.Holder != "tester" || held.Token != lease.Fence().Token {
				t.Errorf("told %v", err)
			}
		})
		if took := time.Since(begun); err != nil || r.State != driver.Expired || took > 11*time.Second || told != 1 {
			t.Errorf("got %+v, %v after %s, told %d times", r, err, took, told)
		}
	})
}

func TestAReleaseIsSeenAtTheNextLook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, _ := bench(t)
		lease, begun := hold(t, l, time.Hour), time.Now()
		time.AfterFunc(90*time.Second, func() { _ = lease.Release(t.Context()) })
		r, err := Wait(t.Context(), l, "report", time.Minute, func(error) {})
		if took := time.Since(begun); err != nil || r.State != driver.Released || took != 2*time.Minute {
			t.Errorf("got %+v, %v after %s", r, err, took)
		}
	})
}

func TestTheLastReasonIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, s := bench(t)
		hold(t, l, time.Hour)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		if _, err := Wait(ctx, l, "report", time.Minute, func(error) {}); !errors.Is(err, ringfence.ErrHeld) {
			t.Errorf("held: got %v", err)
		}
		s.fault = &driver.Fault{Kind: driver.ErrUnavailable}
		ctx, cancel = context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		if _, err := Wait(ctx, l, "report", time.Minute, func(error) {}); !errors.Is(err, ringfence.ErrUnavailable) {
			t.Errorf("down: got %v", err)
		}
	})
}

func TestAnOutageIsWaitedOutAndAnUnfitStoreIsNot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, s := bench(t)
		s.fault = &driver.Fault{Kind: driver.ErrUnavailable}
		looks := 0
		_, err := Wait(t.Context(), l, "report", time.Second, func(error) {
			if looks++; looks == 3 {
				s.fault = nil
			}
		})
		if err != nil || looks != 3 {
			t.Errorf("got %v after %d looks", err, looks)
		}
		s.fault = &driver.Fault{Kind: driver.ErrUnfit}
		if _, err := Wait(t.Context(), l, "report", time.Second, func(error) {}); !errors.Is(err, ringfence.ErrUnfit) {
			t.Errorf("unfit: got %v", err)
		}
	})
}
