package storetest

import (
	"math"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

const operator = "operator of the suite"

func (e *env) breakName(name string) driver.Record {
	e.Helper()
	rec, err := ability[driver.Breaker](e, "a break").Break(e.ctx, name, operator)
	if err != nil {
		e.Fatalf("break %s: %v", fence.Quote(name), err)
	}
	return rec
}

func breakEndsTheTerm(e *env) {
	ability[driver.Breaker](e, "a break")
	r := request(e.name("broken"), e.long())
	t := e.acquire(e.store, r)
	was := e.breakName(r.Name)
	if was.State != driver.Held || was.Token != t.Token || was.Holder != r.Holder {
		e.Errorf("break returned %+v; want the record as it was: held by %q with token %s", was, r.Holder, t.Token)
	}
	before := e.inspect(r.Name)
	if before.State != driver.Forced || before.EndedBy != operator || before.Token != t.Token {
		e.Errorf("after a break the record is %+v; want forced by %q with token %s", before, operator, t.Token)
	}
	_, err := e.store.Renew(e.ctx, t, e.long())
	e.ended(err, t.Fence, driver.EndForced, "renew a broken term")
	e.ended(e.store.Release(e.ctx, t), t.Fence, driver.EndForced, "release a broken term")
	_, err = e.store.Acquire(e.ctx, r)
	e.ended(err, t.Fence, driver.EndForced, "acquire with the attempt of a broken term")
	e.unchanged(before, "what the broken holder tried")
}

func tokenRisesAfterBreak(e *env) {
	ability[driver.Breaker](e, "a break")
	first := e.take(e.name("broken"))
	e.breakName(first.Name)
	e.rises(first.Token, e.take(first.Name).Token, "a break")
}

func breakOfAFreeName(e *env) {
	ability[driver.Breaker](e, "a break")
	released := e.take(e.name("released"))
	e.release(released)
	_, lapsed := e.lapse(e.name("lapsed"))
	for _, name := range []string{e.name("never leased"), released.Name, lapsed.Name} {
		was := e.breakName(name)
		if was.Name != name || was.State == driver.Held || was.State == driver.Forced {
			e.Errorf("break of %q, which nobody holds, returned %+v; want it as it is", name, was)
		}
		e.unchanged(was, "the break of a name that nobody holds")
	}
}

func (e *env) raise(above fence.Token) fence.Token {
	e.Helper()
	floor, err := ability[driver.Recoverer](e, "a raised floor").Raise(e.ctx, above)
	if err != nil {
		e.Fatalf("raise the floor above %s: %v", above, err)
	}
	if floor < above {
		e.Errorf("raised above %s, the floor in force is %s", above, floor)
	}
	return floor
}

func raiseLiftsTheFloor(e *env) {
	ability[driver.Recoverer](e, "a raised floor")
	used := e.take(e.name("used before"))
	e.release(used)
	above := used.Token + 100*fence.TokensPerTick // 100 ms ahead: above what the clock lends by now
	e.raise(above)
	for _, name := range []string{used.Name, e.name("fresh")} {
		if t := e.take(name); t.Token <= above {
			e.Errorf("after a raise above %s, %q got token %s", above, name, t.Token)
		}
	}
	id, err := e.store.(driver.Recoverer).Identity(e.ctx)
	if err != nil || id.Current == "" || id.Floor < above {
		e.Errorf("identity %+v, %v; want who the store is, and a floor of at least %s", id, err, above)
	}
}

func raiseNeverLowers(e *env) {
	ability[driver.Recoverer](e, "a raised floor")
	high := e.take(e.name("high")).Token + 100*fence.TokensPerTick
	e.raise(high)
	for _, lower := range []fence.Token{0, 1, high - 1, high} {
		if floor := e.raise(lower); floor < high {
			e.Errorf("raised above %s and then above %s, the floor is %s; want it no lower than before", high, lower, floor)
		}
	}
	if t := e.take(e.name("fresh")); t.Token <= high {
		e.Errorf("with the floor at %s token %s was granted", high, t.Token)
	}
}

func badFloorRefused(e *env) {
	r := ability[driver.Recoverer](e, "a raised floor")
	for _, bad := range []fence.Token{-1, math.MinInt64, fence.MaxToken + 1, math.MaxInt64} {
		_, err := r.Raise(e.ctx, bad)
		e.is(err, fence.ErrInvalid, "raise the floor above "+bad.String())
	}
	e.take(e.name("granted all the same"))
}

// prune forgets all names whose last term has been over for idle.
func (e *env) prune(idle time.Duration) (gone int) {
	e.Helper()
	const limit = 100
	for {
		n, err := ability[driver.Pruner](e, "a clean-up").Prune(e.ctx, idle, limit)
		if err != nil {
			e.Fatalf("prune what has been idle for %s: %v", idle, err)
		}
		if gone += n; n < limit {
			return gone
		}
	}
}

func tokenRisesAfterCleanUp(e *env) {
	ability[driver.Pruner](e, "a clean-up")
	first := e.take(e.name("forgotten"))
	e.release(first)
	e.prune(0)
	e.rises(first.Token, e.take(first.Name).Token, "a clean-up")
}

func pruneTakesIdleNames(e *env) {
	p := ability[driver.Pruner](e, "a clean-up")
	released := e.take(e.name("released"))
	e.release(released)
	_, lapsed := e.lapse(e.name("lapsed"))
	if n, err := p.Prune(e.ctx, 0, 1); err != nil || n != 1 {
		e.Errorf("prune at most 1 of at least 2 idle names: %d, %v; want 1", n, err)
	}
	e.prune(0)
	for _, t := range []driver.Term{released, lapsed} {
		if rec := e.inspect(t.Name); rec != (driver.Record{Name: t.Name, State: driver.Free}) {
			e.Errorf("after a clean-up the record is %+v; want none", rec)
		}
		_, err := e.store.Renew(e.ctx, t, e.long())
		e.ended(err, t.Fence, driver.EndSuperseded, "renew a term that was forgotten")
	}
}

func pruneLeavesTheRest(e *env) {
	ability[driver.Pruner](e, "a clean-up")
	held, released := e.take(e.name("held")), e.take(e.name("released just now"))
	e.release(released)
	before := []driver.Record{e.inspect(held.Name), e.inspect(released.Name)}
	for _, idle := range []time.Duration{time.Hour, math.MaxInt64} {
		e.prune(idle)
		for _, rec := range before {
			e.unchanged(rec, "a clean-up of what has been idle for "+idle.String())
		}
	}
	e.prune(0)
	e.unchanged(before[0], "a clean-up of all idle names")
}
