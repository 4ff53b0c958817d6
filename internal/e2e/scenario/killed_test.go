package scenario

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/e2e/system"
)

// TestScenario_R20_KilledWhileAcquiring kills processes with SIGKILL, each
// somewhere in the middle of an acquire. Whatever is left has an expiry, and
// the store goes on.
func TestScenario_R20_KilledWhileAcquiring(t *testing.T) {
	t.Parallel()
	const kills, atOnce, ttl = 16, 4, 500 * time.Millisecond
	system.Each(t, func(t *testing.T, d system.Database) {
		store := d.Store(t)
		for round := range kills / atOnce {
			var children []*system.Child
			for range atOnce {
				children = append(children, system.Start(t, system.Config{Database: d, Holder: "victim"}))
			}
			for i, c := range children {
				ask := system.Ask{Op: system.Flood, Name: fmt.Sprintf("n-%d-%d", round, i), TTL: ttl}
				if err := c.Ready(t).Tell(ask); err != nil {
					t.Fatal(err)
				}
				if a := c.Hear(); a.Outcome != "done" {
					t.Fatal(a)
				}
			}
			for _, c := range children {
				system.Pass(rand.N(8 * time.Millisecond)) // the moment is anywhere
				c.Kill()
			}
		}
		names := listAll(t, store)
		if len(names) < kills {
			t.Fatalf("%d names were acquired", len(names))
		}
		for _, rec := range names {
			// One that was granted so late that its caller gave it back was released. The
			// statement reads the clock for each of the two times, and a record shows milliseconds.
			lasts := rec.ExpiresAt.Sub(rec.GrantedAt)
			if (lasts < ttl || lasts > ttl+10*time.Millisecond) && rec.State != driver.Released {
				t.Errorf("%s lasts for %s: %+v", rec.Name, lasts, rec)
			}
		}
		last := names[len(names)-1]
		system.Await(t, "every lease has ended", func() bool {
			for _, rec := range listAll(t, store) {
				if rec.State == driver.Held {
					return false
				}
			}
			return true
		})
		acquire(t, newLocker(t, store, nil), last.Name, long)
	})
}

// listAll reads the records of all names, in pages.
func listAll(t testing.TB, s driver.Lister) (all []driver.Record) {
	t.Helper()
	const page = 1000
	for after := ""; ; {
		records, err := s.List(t.Context(), "", after, page)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, records...)
		if len(records) < page {
			return all
		}
		after = records[page-1].Name
	}
}
