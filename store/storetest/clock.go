package storetest

import (
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// nothingGrantedEarly measures on the monotonic clock of this process alone. The
// holder's step in the store comes after start, the waiter's before its answer:
// so the time between them is at most what is measured, and can't be too short
// unless the store let the lease go early.
func nothingGrantedEarly(e *env) {
	name, ttl := e.name("early"), e.brief()
	start := time.Now()
	e.acquire(e.store, request(name, ttl))
	e.grantedNoSoonerThan(start.Add(ttl), name, "the grant")

	name = e.name("early after renewal")
	t := e.take(name)
	start = time.Now()
	if _, err := e.store.Renew(e.ctx, t, ttl); err != nil {
		e.Fatalf("renew: %v", err)
	}
	e.grantedNoSoonerThan(start.Add(ttl), name, "the renewal")
}

// grantedNoSoonerThan asks for name until it is granted to another client.
// One unit of the store's time is allowed for, since its clock may stand still for that long.
func (e *env) grantedNoSoonerThan(end time.Time, name, since string) {
	e.Helper()
	waiter, r := e.open(), request(name, e.long())
	e.until("the name to be granted to a waiter", func() bool {
		_, err := waiter.Acquire(e.ctx, r)
		if err != nil {
			e.held(err, "acquire while another holds the name")
			return false
		}
		return true
	})
	if early := time.Until(end); early > e.props.Resolution {
		e.Errorf("granted to another %s before the lease of %s after %s was over", early, e.brief(), since)
	}
}

func callerClockChangesNothing(e *env) {
	if e.target.OpenSkewed == nil {
		e.Skipf("the target has no OpenSkewed: nothing is shown about a caller whose clock is off")
	}
	for _, skew := range []time.Duration{time.Hour, -time.Hour, 24 * 365 * time.Hour} {
		skewed := e.opened(e.target.OpenSkewed(e.ctx, skew))
		e.noEarlyGrant(skewed, skew)
		e.notDeadOnArrival(skewed, skew)
		e.endsInTime(skewed, skew)
	}
}

// noEarlyGrant: who is ahead of the store does not see another's lease as over.
func (e *env) noEarlyGrant(skewed driver.Store, skew time.Duration) {
	e.Helper()
	t := e.take(e.name("held against " + skew.String()))
	before := e.inspect(t.Name)
	_, err := skewed.Acquire(e.ctx, request(t.Name, e.long()))
	held := e.held(err, "acquire by a caller whose clock is off by "+skew.String())
	if most := e.props.RoundTTL(e.long()); held.Remaining <= 0 || held.Remaining > most {
		e.Errorf("a caller off by %s is refused for another %s; want more than 0 and at most %s", skew, held.Remaining, most)
	}
	e.unchanged(before, "an acquire by a skewed caller")
}

// notDeadOnArrival: who is behind the store gets a lease that others respect.
func (e *env) notDeadOnArrival(skewed driver.Store, skew time.Duration) {
	e.Helper()
	t := e.acquire(skewed, request(e.name("held by "+skew.String()), e.long()))
	renewed, err := skewed.Renew(e.ctx, t, e.long())
	if err != nil {
		e.Errorf("renew by a caller off by %s: %v", skew, err)
	}
	for _, left := range []time.Duration{t.Remaining, renewed.Remaining, e.inspect(t.Name).Remaining} {
		if most := e.props.RoundTTL(e.long()); left <= 0 || left > most {
			e.Errorf("a caller off by %s got a lease with %s left; want more than 0 and at most %s", skew, left, most)
		}
	}
	_, err = e.store.Acquire(e.ctx, request(t.Name, e.long()))
	e.held(err, "acquire what a skewed caller holds")
}

// endsInTime: a lease of a skewed caller ends when any other would.
func (e *env) endsInTime(skewed driver.Store, skew time.Duration) {
	e.Helper()
	name, start := e.name("ends for "+skew.String()), time.Now()
	e.acquire(skewed, request(name, e.brief()))
	e.awaitOver(name)
	if early := e.brief() - time.Since(start); early > e.props.Resolution {
		e.Errorf("a lease of a caller off by %s was over %s early", skew, early)
	}
}
