package storetest

import (
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

func renewalKeepsTheToken(e *env) {
	r := request(e.name("renewed"), 2*e.long())
	t := e.acquire(e.store, r)
	granted := e.inspect(r.Name)
	e.renewedFor(granted, t, 4*e.long()) // longer than it was
	e.renewedFor(granted, t, e.long())   // and shorter: it lasts ttl from the renewal
}

// renewedFor renews t, and checks that its end moved and nothing else did.
func (e *env) renewedFor(granted driver.Record, t driver.Term, ttl time.Duration) {
	e.Helper()
	renewed, err := e.store.Renew(e.ctx, t, ttl)
	if err != nil {
		e.Fatalf("renew for %s: %v", ttl, err)
	}
	if renewed.Fence != t.Fence || renewed.Attempt != t.Attempt {
		e.Errorf("renewed %+v is %+v; want the same fence and attempt", t, renewed)
	}
	least, most := ttl-patience, e.props.RoundTTL(ttl)
	if renewed.Remaining < least || renewed.Remaining > most {
		e.Errorf("renewed for %s, %s is left; want %s to %s", ttl, renewed.Remaining, least, most)
	}
	rec := e.inspect(t.Name)
	if rec.State != driver.Held || rec.Token != t.Token || rec.Holder != granted.Holder || !rec.GrantedAt.Equal(granted.GrantedAt) {
		e.Errorf("after a renewal the record is %+v; want the holder, token and grant of %+v", rec, granted)
	}
	if rec.Remaining < least || rec.Remaining > most {
		e.Errorf("renewed for %s, the record shows another %s; want %s to %s", ttl, rec.Remaining, least, most)
	}
}

func olderTermIsSuperseded(e *env) {
	released := e.take(e.name("released before"))
	e.release(released)
	_, lapsed := e.lapse(e.name("lapsed before"))
	for _, older := range []driver.Term{released, lapsed} {
		e.take(older.Name)
		before := e.inspect(older.Name)
		_, err := e.store.Renew(e.ctx, older, e.long())
		e.ended(err, older.Fence, driver.EndSuperseded, "renew an older term")
		e.unchanged(before, "the renewal of an older term")
		err = e.store.Release(e.ctx, older)
		e.ended(err, older.Fence, driver.EndSuperseded, "release an older term")
		e.unchanged(before, "the release of an older term")
	}
}

func lateRenewalOfAFreeName(e *env) {
	_, older := e.lapse(e.name("free again"))
	e.release(e.take(older.Name))
	before := e.inspect(older.Name)
	_, err := e.store.Renew(e.ctx, older, e.long())
	e.ended(err, older.Fence, driver.EndSuperseded, "renew an older term of a name that is free again")
	e.unchanged(before, "the late renewal")
}

func lapsedTermStaysOver(e *env) {
	_, t := e.lapse(e.name("lapsed"))
	before := e.inspect(t.Name)
	if before.State != driver.Expired || before.Token != t.Token || before.Remaining != 0 {
		e.Errorf("a lease that ran out is %+v; want expired with token %s and nothing remaining", before, t.Token)
	}
	_, err := e.store.Renew(e.ctx, t, e.long())
	e.ended(err, t.Fence, driver.EndExpired, "renew a lapsed term that nobody took")
	e.unchanged(before, "the renewal of a lapsed term")
	e.ended(e.store.Release(e.ctx, t), t.Fence, driver.EndExpired, "release a lapsed term")
	e.unchanged(before, "the release of a lapsed term")
}

func releasedTermStaysOver(e *env) {
	t := e.take(e.name("released"))
	e.release(t)
	before := e.inspect(t.Name)
	if before.State != driver.Released || before.Token != t.Token || before.Remaining != 0 {
		e.Errorf("a released lease is %+v; want released with token %s and nothing remaining", before, t.Token)
	}
	_, err := e.store.Renew(e.ctx, t, e.long())
	e.ended(err, t.Fence, driver.EndReleased, "renew a released term")
	e.unchanged(before, "the renewal of a released term")
}

func releaseTwice(e *env) {
	t := e.take(e.name("released twice"))
	e.release(t)
	before := e.inspect(t.Name)
	e.ended(e.store.Release(e.ctx, t), t.Fence, driver.EndReleased, "release a second time")
	e.unchanged(before, "the second release")
}
