package storetest

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// renewAll renews a batch, and checks that it has an outcome for each renewal.
func (e *env) renewAll(all ...driver.Renewal) []driver.Renewed {
	e.Helper()
	outcomes := ability[driver.BatchRenewer](e, "renewals in a batch").RenewAll(e.ctx, all)
	if len(outcomes) != len(all) {
		e.Fatalf("a batch of %d renewals has %d outcomes", len(all), len(outcomes))
	}
	return outcomes
}

// renewed checks that an outcome is that of a renewal for ttl.
func (e *env) renewed(got driver.Renewed, r driver.Renewal) {
	e.Helper()
	if got.Err != nil || got.Term.Fence != r.Term.Fence || got.Term.Attempt != r.Term.Attempt {
		e.Errorf("the renewal of %s in a batch is %+v, %v; want the same term", r.Term.Fence, got.Term, got.Err)
		return
	}
	if least, most := r.TTL-patience, e.props.RoundTTL(r.TTL); got.Term.Remaining < least || got.Term.Remaining > most {
		e.Errorf("renewed %s for %s in a batch, %s is left; want %s to %s", r.Term.Fence, r.TTL, got.Term.Remaining, least, most)
	}
}

// batchRenewsEachAlone mixes good renewals with every kind of bad one.
func batchRenewsEachAlone(e *env) {
	ability[driver.BatchRenewer](e, "renewals in a batch")
	first, last := e.take(e.name("z, the first")), e.take(e.name("a, the last"))
	untouched := e.take(e.name("renewed for nothing"))
	released, replaced := e.take(e.name("released")), e.take(e.name("replaced"))
	e.release(released)
	e.release(replaced)
	e.take(replaced.Name)
	_, lapsed := e.lapse(e.name("lapsed"))
	stranger := last
	stranger.Attempt = "a-stranger"
	before := map[string]driver.Record{}
	for _, t := range []driver.Term{untouched, released, replaced, lapsed} {
		before[t.Name] = e.inspect(t.Name)
	}

	long := 2 * e.long()
	all := []driver.Renewal{
		{Term: first, TTL: 2 * long}, {Term: released, TTL: long}, {Term: untouched, TTL: 0}, {Term: lapsed, TTL: long},
		{Term: replaced, TTL: long}, {Term: driver.Term{}, TTL: long}, {Term: stranger, TTL: long}, {Term: last, TTL: long},
	}
	got := e.renewAll(all...)
	e.renewed(got[0], all[0])
	e.ended(got[1].Err, released.Fence, driver.EndReleased, "renew a released term in a batch")
	e.is(got[2].Err, fence.ErrInvalid, "renew for 0 in a batch")
	e.ended(got[3].Err, lapsed.Fence, driver.EndExpired, "renew a lapsed term in a batch")
	e.ended(got[4].Err, replaced.Fence, driver.EndSuperseded, "renew an older term in a batch")
	e.is(got[5].Err, fence.ErrInvalid, "renew no term in a batch")
	e.ended(got[6].Err, last.Fence, driver.EndSuperseded, "renew with a wrong attempt in a batch")
	e.renewed(got[7], all[7])
	for _, rec := range before {
		e.unchanged(rec, "a batch of renewals that could not have it")
	}
	if rec := e.inspect(first.Name); rec.Remaining < 2*long-patience {
		e.Errorf("after a renewal for %s in a batch, the record shows another %s", 2*long, rec.Remaining)
	}
}

// batchOfAnySize renews nothing, and then more than any one statement will hold.
func batchOfAnySize(e *env) {
	ability[driver.BatchRenewer](e, "renewals in a batch")
	e.renewAll()
	all := make([]driver.Renewal, 1000)
	var takers sync.WaitGroup
	for from := range 16 {
		takers.Go(func() {
			for i := from; i < len(all); i += 16 {
				t, err := e.store.Acquire(e.ctx, request(e.name(fmt.Sprint(i)), e.long()))
				if err != nil {
					e.Errorf("acquire one of many: %v", err)
					return
				}
				all[i] = driver.Renewal{Term: t, TTL: 2 * e.long()}
			}
		})
	}
	takers.Wait()
	faults := 0
	for i, got := range e.renewAll(all...) {
		if rec := e.inspect(all[i].Term.Name); got.Err == nil && got.Term.Fence == all[i].Term.Fence && rec.Remaining > e.long() {
			continue
		}
		if faults++; faults == 1 {
			e.Errorf("renewal %d of %d is %+v, %v; want %s prolonged", i, len(all), got.Term, got.Err, all[i].Term.Fence)
		}
	}
}

// batchTellsTermsApart has several terms of one name in a batch, and one of them twice.
func batchTellsTermsApart(e *env) {
	ability[driver.BatchRenewer](e, "renewals in a batch")
	older := e.take(e.name("taken twice"))
	e.release(older)
	t := e.take(older.Name)
	long := e.long()
	all := []driver.Renewal{{Term: t, TTL: long}, {Term: older, TTL: long}, {Term: t, TTL: 2 * long}, {Term: t, TTL: -1}}
	got := e.renewAll(all...)
	for _, i := range []int{0, 2} {
		if errors.Is(got[i].Err, driver.ErrEnded) || got[i].Term.Fence != t.Fence {
			e.Errorf("renewal %d of the term that lasts is %+v, %v", i, got[i].Term, got[i].Err)
		}
		e.renewed(got[i], all[i])
	}
	e.ended(got[1].Err, older.Fence, driver.EndSuperseded, "renew the older term in a batch with the newer one")
	e.is(got[3].Err, fence.ErrInvalid, "renew for less than nothing in a batch")
	if rec := e.inspect(t.Name); rec.State != driver.Held || rec.Remaining > 2*long || rec.Remaining < long-time.Minute {
		e.Errorf("after two renewals in a batch the record is %+v", rec)
	}
}
