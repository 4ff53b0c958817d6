package stores

import (
	"errors"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
)

// timeZones: two clients in different zones, and a server in a third, see one end.
func timeZones(t *testing.T, at *site) string {
	one, err1 := at.zoned(t, "UTC")
	two, err2 := at.zoned(t, "Asia/Tokyo")
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	from := time.Now()
	take(t, one, "job", long)
	a, err1 := one.Inspect(t.Context(), "job")
	b, err2 := two.Inspect(t.Context(), "job")
	if err := errors.Join(err1, err2); err != nil || !a.ExpiresAt.Equal(b.ExpiresAt) {
		t.Errorf("one sees the end at %s, the other at %s (error %v)", a.ExpiresAt, b.ExpiresAt, err)
	}
	if off := a.ExpiresAt.Sub(from.Add(long)); off < -time.Second || off > patience {
		t.Errorf("the end is %s off", off)
	}
	_, err := two.Acquire(t.Context(), request("job", long))
	if held, ok := errors.AsType[*driver.HeldError](err); !ok || held.Remaining > long {
		t.Errorf("the other was answered %v", err)
	}
	return ""
}

// clientClock: one whose clock is an hour off, either way, takes nothing early and
// gets a lease of the right length.
func clientClock(t *testing.T, at *site) string {
	right := at.direct(t)
	for name, skew := range map[string]time.Duration{"ahead": time.Hour, "behind": -time.Hour} {
		s := at.direct(t)
		unit := s.Properties().Resolution
		off := newLocker(t, s, &ringfence.Options{Clock: func() time.Time { return time.Now().Add(skew) }})
		from := time.Now()
		lease := hold(t, off, name, ringfence.Hold{TTL: long})
		if err := lease.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		left := lease.Remaining()
		if left > long || left < long-time.Since(from)-3*unit-time.Second || lease.Context().Err() != nil {
			t.Errorf("%s: the holder trusts its lease for another %s", name, left)
		}
		if _, err := right.Acquire(t.Context(), request(name, long)); !errors.Is(err, driver.ErrHeld) {
			t.Errorf("%s: a client whose clock is right got %v", name, err)
		}
		take(t, right, "taken "+name, long)
		if _, err := off.TryAcquire(t.Context(), "taken "+name, ringfence.Hold{TTL: long}); !errors.Is(err, driver.ErrHeld) {
			t.Errorf("%s: it got %v for a name that is held", name, err)
		}
	}
	return ""
}
