package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

const (
	timings      = 50              // terms at most
	fewest       = 3               // and at least
	timingBudget = 3 * time.Second // for what lies between
)

// stepNames are the steps in the order in which they are told.
var stepNames = []string{"acquire", "renew", "release", "inspect"}

// steps are how long each step took, each time.
type steps map[string][]time.Duration

// time takes one term after the other, and times their steps.
func (m *measurement) time(ctx context.Context) error {
	until := time.Now().Add(timingBudget)
	for n := 0; n < fewest || n < timings && time.Now().Before(until); n++ {
		if err := m.timeTerm(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (m *measurement) timeTerm(ctx context.Context) (err error) {
	var t driver.Term
	begun := time.Now()
	took := m.steps.take("acquire", func() { t, err = m.acquire(ctx, m.on, m.name, m.longTTL()) })
	if err != nil {
		return err
	}
	m.granted(t)
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	var r driver.Record
	if m.steps.take("inspect", func() { r, err = m.on.Inspect(ctx, m.name) }); err != nil {
		return err
	}
	m.clock.see(r.GrantedAt, begun, took)
	if m.steps.take("renew", func() { _, err = m.on.Renew(ctx, t, m.longTTL()) }); err != nil {
		return err
	}
	m.steps.take("release", func() { err = m.release(ctx, m.on, t) })
	return err
}

func (s steps) take(name string, f func()) time.Duration {
	begun := time.Now()
	f()
	took := time.Since(begun)
	s[name] = append(s[name], took)
	return took
}

// slow is from where on a step is said to be slow: several of them have to fit
// into a lease.
const slow = 500 * time.Millisecond

func (s steps) finding() driver.Finding {
	var told []string
	var worst time.Duration
	for _, name := range stepNames {
		all := slices.Sorted(slices.Values(s[name]))
		half, most := all[len(all)/2], all[(len(all)*99+99)/100-1]
		told = append(told, fmt.Sprintf("%s %s (%s)", name, brief(half), brief(most)))
		worst = max(worst, most)
	}
	f := driver.Finding{Subject: "latency", Grade: driver.Fit, Means: "far below what a lease of some seconds needs",
		Found: fmt.Sprintf("%s; p50 (p99) of %d", strings.Join(told, ", "), len(s["acquire"]))}
	if worst >= slow {
		f.Grade, f.Means = driver.Warning, "a renewal may come too late for a short lease"
		f.Do = fmt.Sprintf("make no lease shorter than %s, or find out what is slow", (10 * worst).Round(time.Second))
	}
	return f
}

// sighting is the store's clock against this machine's, as it was seen best.
type sighting struct {
	seen      bool
	off, half time.Duration // give or take half of the round trip
}

// see notes when the store says that a grant was made, which a call brought about
// that began and took so long.
func (c *sighting) see(granted, begun time.Time, took time.Duration) {
	if granted.IsZero() || c.seen && took/2 >= c.half {
		return
	}
	*c = sighting{true, granted.Sub(begun.Add(took / 2)), took / 2}
}

func (c sighting) finding(p driver.Properties) driver.Finding {
	f := driver.Finding{Subject: clockSubject, Grade: driver.Fit, Means: "leases are judged by one clock alone, that of " + p.Clock}
	if !c.seen {
		f.Found = "not shown by the store"
		return f
	}
	f.Found = fmt.Sprintf("%+d ms against this machine's, give or take %s", c.off.Milliseconds(), brief(c.half+p.Resolution))
	if c.off.Abs()-c.half-p.Resolution > time.Minute {
		f.Grade = driver.Warning
		f.Means = "one of the two is wrong; guards refuse a token that is more than a day ahead of their clock, and a fail-over to a clock that lags by more than a minute can repeat tokens"
		f.Do = "keep the clocks of all machines together (NTP)"
	}
	return f
}
