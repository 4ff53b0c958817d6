package kindtest

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// prime leaves a release of the name on record, without which the first holder waits.
func (c *client) prime(n string) { c.release(c.hold(n, of(ringfence.Kind{}))) }

func delayAfterAnExpiry(e *env) {
	c, other := e.client(nil), e.client(nil)
	c.prime("job")
	delay := c.brief()
	h := ringfence.Hold{TTL: c.brief(), Kind: ringfence.Kind{DelayAfterExpiry: delay}}
	c.release(c.hold("job", h))
	other.release(other.hold("job", h)) // at once, after a release

	var sent time.Time
	var gone *ringfence.Lease
	for err := ringfence.ErrUnavailable; errors.Is(err, ringfence.ErrUnavailable); {
		sent = time.Now()
		gone, err = c.acquire("job", 0, h)
	}
	if gone == nil {
		e.Fatalf("not granted after a release")
	}
	if trusted := time.Until(gone.TrustedUntil()); trusted > h.TTL {
		e.Errorf("it is trusted for %s, and the lease is one of %s", trusted, h.TTL)
	}
	next := e.granted("the next", other.waits("job", h))
	if passed := time.Since(sent); passed < h.TTL+delay-c.store.Properties().Resolution {
		e.Errorf("granted %s after a lease of %s was, of which nobody heard again; want %s more", passed, h.TTL, delay)
	}
	other.release(next)
	if rec := c.state("job"); rec.State != driver.Released {
		e.Errorf("after the release it is %s", rec.State)
	}
}

func delayAfterABreak(e *env) {
	c, other := e.client(nil), e.client(nil)
	breaker, ok := c.store.(driver.Breaker)
	if !ok {
		e.Skipf("the store can't end a term by force")
	}
	c.prime("job")
	delay := c.brief()
	h := ringfence.Hold{TTL: patience / 4, Kind: ringfence.Kind{DelayAfterExpiry: delay}} // where a release is not told, it ends by itself
	c.hold("job", h)
	if _, err := breaker.Break(e.ctx, e.name("job"), "the suite"); err != nil {
		e.Fatalf("break: %v", err)
	}
	broken := time.Now()

	// One who gives up during the delay doesn't take it away from the next.
	ctx, leave := context.WithTimeout(e.ctx, delay/3)
	defer leave()
	if lease, err := e.target.acquire(ctx, other.locker, e.name("job"), 0, h); err == nil {
		e.Errorf("granted %s after the break", time.Since(broken))
		_ = lease.Release(e.ctx)
		return
	}
	e.granted("the next", c.waits("job", h))
	if passed := time.Since(broken); passed < delay {
		e.Errorf("granted %s after the break; want %s", passed, delay)
	}
}

func badKindsRefused(e *env) {
	c := e.client(nil)
	many := make([]string, ringfence.MaxNames)
	for i := range many {
		many[i] = strings.Repeat("n", i+1)
	}
	for what, k := range map[string]ringfence.Kind{
		"fewer than no permits":  {Permits: -1},
		"too many permits":       {Permits: ringfence.MaxPermits + 1},
		"no such access":         {Access: ringfence.Exclusive + 1},
		"permits of a writer":    {Permits: 2, Access: ringfence.Exclusive},
		"readers of two names":   {Access: ringfence.Shared, Also: []string{"b"}},
		"too many names":         e.also(many...),
		"an empty name":          {Also: []string{""}},
		"a delay before the end": {DelayAfterExpiry: -time.Second},
		"a delay of months":      {DelayAfterExpiry: 100 * 24 * time.Hour},
	} {
		if _, err := c.acquire("job", 0, of(k)); !errors.Is(err, fence.ErrInvalid) {
			e.Errorf("%s: %v", what, err)
		}
	}
	for _, n := range []string{"job#1", "job#r12", strings.Repeat("n", fence.MaxNameBytes-len(e.prefix))} {
		for _, k := range []ringfence.Kind{{Permits: 2}, {Access: ringfence.Shared}, {Access: ringfence.Exclusive}} {
			if _, err := c.acquire(n, 0, of(k)); !errors.Is(err, fence.ErrInvalid) {
				e.Errorf("slots of %q: %v", n, err)
			}
		}
	}
	if rec := c.state("job"); rec.State != driver.Free {
		e.Errorf("something was granted: %+v", rec)
	}
}
