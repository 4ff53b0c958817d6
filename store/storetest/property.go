package storetest

import (
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

func limitsAsDeclared(e *env) {
	p := e.props
	if p.Store == "" || p.Clock == "" || p.Resolution <= 0 || p.MinTTL <= 0 || p.MinTTL > driver.MaxTTL {
		e.Fatalf("properties %+v; want a store, a clock, a resolution and a shortest lease", p)
	}
	if again := e.open().Properties(); again != p {
		e.Errorf("another client declares %+v; want %+v", again, p)
	}
	for _, ttl := range []time.Duration{p.MinTTL, driver.MaxTTL} {
		t := e.acquire(e.store, request(e.name("granted for "+ttl.String()), ttl))
		if t.Remaining > p.RoundTTL(ttl) {
			e.Errorf("a lease of %s has %s left; want at most %s", ttl, t.Remaining, p.RoundTTL(ttl))
		}
		if ttl == driver.MaxTTL {
			e.release(t) // or it would outlive the suite by far
		}
	}
	name := e.name("too short")
	_, err := e.store.Acquire(e.ctx, request(name, p.MinTTL-1))
	e.is(err, fence.ErrInvalid, "acquire for 1ns less than the declared shortest lease")
	t := e.take(name)
	_, err = e.store.Renew(e.ctx, t, p.MinTTL-1)
	e.is(err, fence.ErrInvalid, "renew for 1ns less than the declared shortest lease")
}

func leaseRoundsUp(e *env) {
	unit := e.props.Resolution
	for _, over := range []time.Duration{1, unit / 2, unit - 1} {
		ttl := e.props.RoundTTL(e.long()) + over
		r := request(e.name("odd by "+over.String()), ttl)
		t := e.acquire(e.store, r)
		again := e.acquire(e.store, r) // a little later: what is left has an odd part now
		for _, left := range []time.Duration{t.Remaining, again.Remaining} {
			if left%unit != 0 {
				e.Errorf("%s is left of a lease; want a multiple of the declared resolution %s", left, unit)
			}
		}
		rec := e.inspect(r.Name)
		if length := rec.ExpiresAt.Sub(rec.GrantedAt); length < e.props.RoundTTL(ttl) || length > e.props.RoundTTL(ttl)+unit {
			e.Errorf("a lease of %s lasts %s on the store's clock; want it rounded up to the next %s", ttl, length, unit)
		}
	}
}
