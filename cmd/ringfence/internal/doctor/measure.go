package doctor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// clockSubject is the subject of the finding about the store's clock.
const clockSubject = "clock"

func isClock(f driver.Finding) bool { return f.Subject == clockSubject }

// measurement is what taking leases has shown so far.
type measurement struct {
	hand
	stores []driver.Store
	props  driver.Properties
	name   string
	grants []fence.Token // in the order in which they were granted
	steps  steps
	clock  sighting
}

// measure takes leases, and tells what that shows, and which names it could not give back.
func (c Config) measure(ctx context.Context) (found []driver.Finding, left []string) {
	m := measurement{hand: hand{held: map[string]driver.Term{}}, steps: steps{}}
	defer func() { closeAll(m.stores) }()
	c.Progress("connecting twice")
	for range 2 {
		s, err := c.open(ctx)
		if err != nil {
			return []driver.Finding{failure("opening the store", err)}, nil
		}
		m.stores = append(m.stores, s)
	}
	m.on, m.props = m.stores[0], m.stores[0].Properties()
	defer func() { left = m.giveBack(ctx) }()
	var err error
	if m.name, err = m.takePlace(ctx, m.on); err != nil {
		return []driver.Finding{failure("acquire", err)}, nil
	}
	return m.all(ctx, c), nil
}

func (m *measurement) all(ctx context.Context, c Config) []driver.Finding {
	c.Progress("timing each step")
	if err := m.time(ctx); err != nil {
		return []driver.Finding{failure("steps of a term", err)}
	}
	c.Progress(fmt.Sprintf("letting %d callers compete", rivals))
	found := []driver.Finding{m.atomic(ctx)}
	if !c.Quick {
		c.Progress(fmt.Sprintf("waiting for a lease of %s to expire", m.shortTTL()))
		found = append(found, m.expiry(ctx))
	}
	return append(found, m.rising(), m.clock.finding(m.props), m.steps.finding())
}

func (c Config) open(ctx context.Context) (driver.Store, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	return c.Open(ctx)
}

// granted notes a grant.
func (m *measurement) granted(t driver.Term) { m.grants = append(m.grants, t.Token) }

const (
	rivals     = 8               // at once
	races      = 5               // at most
	raceBudget = 4 * time.Second // for all of them; there is always one
)

// atomic lets callers of two clients ask for a free name at once, several times.
func (m *measurement) atomic(ctx context.Context) driver.Finding {
	f := driver.Finding{Subject: "atomic acquire", Grade: driver.Fit, Means: "a name is granted in one step that no other caller can come between"}
	until := time.Now().Add(raceBudget)
	n := 0
	for ; n == 0 || n < races && time.Now().Before(until) && ctx.Err() == nil; n++ {
		won, failed := m.race(ctx)
		switch {
		case len(won) > 1:
			f.Grade, f.Found = driver.Unfit, fmt.Sprintf("%d of %d callers got the same name at once", len(won), rivals)
			f.Means, f.Do = "two holders at once: this is no lease", "use another store; what stands between this one and its clients may repeat or cache calls"
		case failed != nil:
			f.Grade, f.Found = driver.Warning, "a caller among "+fmt.Sprint(rivals)+" got no answer: "+failed.Error()
			f.Means, f.Do = "nobody got the name twice, but the store was slow or broke a connection under a small load", "look at its log and its load, and at the network"
		case len(won) == 0:
			f.Grade, f.Found = driver.Warning, "a free name was refused to all callers"
			f.Means, f.Do = "somebody else uses the names of the doctor", "run it again"
		}
		for _, t := range won {
			_ = m.release(ctx, m.on, t)
		}
		if f.Grade != driver.Fit {
			return f
		}
		m.granted(won[0])
	}
	f.Found = fmt.Sprintf("of %d callers over two connections exactly one got the name, %s", rivals, times(n))
	return f
}

// race returns who got the name, and the first failure that is no refusal.
func (m *measurement) race(ctx context.Context) (won []driver.Term, failed error) {
	var mu sync.Mutex
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range rivals {
		all.Go(func() {
			<-start
			t, err := m.acquire(ctx, m.stores[i%len(m.stores)], m.name, m.longTTL())
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				won = append(won, t)
			case !errors.Is(err, driver.ErrHeld) && failed == nil:
				failed = err
			}
		})
	}
	close(start)
	all.Wait()
	return won, failed
}

// longTTL is a lease that does not end by itself while it is looked at.
func (m *measurement) longTTL() time.Duration { return max(30*time.Second, m.props.MinTTL) }

// shortTTL is about the shortest lease, and long enough to be told from nothing
// over a slow network.
func (m *measurement) shortTTL() time.Duration {
	return m.props.RoundTTL(max(m.props.MinTTL, 300*time.Millisecond))
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// rising looks at the tokens of all grants.
func (m *measurement) rising() driver.Finding {
	n := len(m.grants)
	f := driver.Finding{Subject: "rising token", Grade: driver.Fit, Found: fmt.Sprintf("%d grants, each with a higher token than the one before", n),
		Means: "a resource can tell the newer holder from the older one"}
	for i := 1; i < n; i++ {
		if m.grants[i] <= m.grants[i-1] {
			f.Grade, f.Found = driver.Unfit, fmt.Sprintf("token %s was granted after token %s", m.grants[i], m.grants[i-1])
			f.Means, f.Do = "a resource would take the older holder for the newer one", "use another store, and tell the authors of Ringfence"
			return f
		}
	}
	if last := m.grants[n-1]; last > fence.FutureLimit(fence.TickOf(time.Now())) {
		f.Grade, f.Found = driver.Warning, fmt.Sprintf("token %s belongs to %s", last, last.Time().UTC().Format("2006-01-02 15:04 UTC"))
		f.Means, f.Do = "guards refuse a token that is more than a day ahead of their clock", "set the clocks right; where the floor was raised too far, use another store or prefix"
	}
	return f
}
