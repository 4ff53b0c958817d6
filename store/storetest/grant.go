package storetest

import (
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

func grantedWhenFree(e *env) {
	r := request(e.name("free"), e.long())
	t := e.acquire(e.store, r)
	if t.Name != r.Name || t.Attempt != r.Attempt || !t.Token.Valid() {
		e.Errorf("granted %+v for %+v; want its name, its attempt and a valid token", t, r)
	}
	if most := e.props.RoundTTL(r.TTL); t.Remaining <= 0 || t.Remaining > most {
		e.Errorf("a fresh lease of %s has %s left; want more than 0 and at most %s", r.TTL, t.Remaining, most)
	}
	rec := e.inspect(r.Name)
	if rec.Name != r.Name || rec.State != driver.Held || rec.Token != t.Token || rec.Holder != r.Holder {
		e.Errorf("inspect shows %+v; want held by %q with token %s", rec, r.Holder, t.Token)
	}
}

func refusedWhenHeld(e *env) {
	r := request(e.name("held"), e.long())
	t := e.acquire(e.store, r)
	before := e.inspect(r.Name)
	other := e.open()
	stranger, namesake := request(r.Name, e.long()), request(r.Name, e.long())
	namesake.Holder = r.Holder // a label is no proof of being the holder
	for _, second := range []driver.Request{stranger, namesake} {
		_, err := other.Acquire(e.ctx, second)
		held := e.held(err, "a second acquire by "+fence.Quote(second.Holder))
		if held.Name != r.Name || held.Holder != r.Holder || held.Token != t.Token {
			e.Errorf("refused with %+v; want name %q, holder %q and token %s", held, r.Name, r.Holder, t.Token)
		}
		if most := e.props.RoundTTL(r.TTL); held.Remaining <= 0 || held.Remaining > most {
			e.Errorf("refused for another %s; want more than 0 and at most %s", held.Remaining, most)
		}
	}
	e.unchanged(before, "a refused acquire")
}

func tokenRisesAfterRelease(e *env) {
	name := e.name("released")
	first := e.take(name)
	e.release(first)
	second := e.take(name) // at once: the first lease would have lasted longer than the clause
	e.rises(first.Token, second.Token, "a release")
}

func tokenRisesAfterExpiry(e *env) {
	name := e.name("expired")
	_, first := e.lapse(name)
	e.rises(first.Token, e.take(name).Token, "an expiry")
}

func tokenRisesAfterRestart(e *env) {
	name := e.name("restarted")
	first := e.take(name)
	e.release(first)
	e.restart()
	e.rises(first.Token, e.take(name).Token, "a restart of the store")
}

func durableAsDeclared(e *env) {
	r := request(e.name("durable"), e.long())
	t := e.acquire(e.store, r)
	e.restart()
	rec := e.inspect(r.Name)
	if kept := rec.State == driver.Held && rec.Token == t.Token; kept != e.props.Durable {
		e.Errorf("after a restart the lease with token %s is %+v, and the store declares Durable %t", t.Token, rec, e.props.Durable)
	}
	if !e.props.Durable {
		return
	}
	if _, err := e.store.Renew(e.ctx, t, e.long()); err != nil {
		e.Errorf("renew a lease from before the restart: %v", err)
	}
}

// restart restarts the store, and goes on with a new client of it.
func (e *env) restart() {
	e.Helper()
	if e.target.Restart == nil {
		e.Skipf("the target has no Restart: nothing is shown about a restart of %s", e.props.Store)
	}
	if err := e.target.Restart(e.ctx); err != nil {
		e.Fatalf("restart the store: %v", err)
	}
	e.store = e.open()
}
