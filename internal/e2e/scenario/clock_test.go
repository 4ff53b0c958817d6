package scenario

import (
	"testing"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/internal/e2e/system"
)

// TestScenario_R26_TimeZones: processes and sessions in different time zones see
// one expiry. PostgreSQL itself lives in New York here.
func TestScenario_R26_TimeZones(t *testing.T) {
	t.Parallel()
	system.Each(t, func(t *testing.T, d system.Database) {
		tokyo := d
		if d.Postgres {
			tokyo.URL += "&timezone=Asia/Tokyo"
		}
		holder := system.Start(t, system.Config{Database: d, Holder: "holder"}, "TZ=UTC").Ready(t)
		other := system.Start(t, system.Config{Database: tokyo, Holder: "other"}, "TZ=Asia/Tokyo").Ready(t)
		if off := other.Do(system.Ask{Op: system.TimeZone}).Remaining; off != 9*time.Hour {
			t.Fatalf("the other process is %s off UTC", off)
		}
		ask := system.Ask{Op: system.Acquire, Name: "job", TTL: time.Minute}
		from := time.Now()
		if a := holder.Do(ask); a.Outcome != "granted" {
			t.Fatal(a)
		}
		ask.Op = system.Inspect
		one, two := holder.Do(ask), other.Do(ask)
		if !one.ExpiresAt.Equal(two.ExpiresAt) {
			t.Errorf("the lease ends at %s for one and at %s for the other", one.ExpiresAt, two.ExpiresAt)
		}
		early, late := from.Add(time.Minute).Truncate(time.Millisecond), time.Now().Add(time.Minute)
		if one.ExpiresAt.Before(early) || one.ExpiresAt.After(late) {
			t.Errorf("the lease ends at %s; want %s to %s", one.ExpiresAt, early, late)
		}
		ask.Op = system.Acquire
		if a := other.Do(ask); a.Outcome != "held" || a.Remaining > time.Minute || a.Remaining < time.Until(early)-time.Millisecond {
			t.Errorf("the other process was answered %s, with %s left", a, a.Remaining)
		}
	})
}

// TestScenario_R27_ClientClock: a client whose clock is an hour off acquires,
// renews and looks. proof.TestProof3 has it contend, and moves the server's clock.
func TestScenario_R27_ClientClock(t *testing.T) {
	t.Parallel()
	system.Each(t, func(t *testing.T, d system.Database) {
		for name, skew := range map[string]time.Duration{"ahead": time.Hour, "behind": -time.Hour} {
			store := d.Store(t)
			off := newLocker(t, store, &ringfence.Options{Clock: func() time.Time { return time.Now().Add(skew) }})
			from := time.Now()
			lease := acquire(t, off, name, long)
			if err := lease.Renew(t.Context()); err != nil {
				t.Fatal(err)
			}
			rec, err := off.Inspect(t.Context(), name)
			if err != nil || rec.ExpiresAt.Before(from.Add(long.TTL-time.Millisecond)) || rec.ExpiresAt.After(time.Now().Add(long.TTL)) {
				t.Errorf("%s: the store says %+v (error %v)", name, rec, err)
			}
			if left := lease.Remaining(); left < long.TTL-time.Since(from)-time.Second || left > long.TTL || lease.Context().Err() != nil {
				t.Errorf("%s: the holder trusts its lease for another %s", name, left)
			}
		}
	})
}
