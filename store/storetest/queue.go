package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

func (e *env) queue() driver.Queue {
	e.Helper()
	return ability[driver.Queue](e, "a line of waiters")
}

// waitIn gives r a place, or keeps it, and checks how many are ahead.
func (e *env) waitIn(r driver.Request, keep time.Duration, ahead int) driver.Place {
	e.Helper()
	p, err := e.queue().Wait(e.ctx, r, keep)
	if err != nil {
		e.Fatalf("wait for %s: %v", fence.Quote(r.Name), err)
	}
	if p.Ahead != ahead {
		e.Errorf("%d are ahead of %q; want %d", p.Ahead, r.Holder, ahead)
	}
	return p
}

// line lets n wait for a name that is held, whose term it returns.
func (e *env) line(name string, n int) (driver.Term, []driver.Request) {
	e.Helper()
	e.queue()
	t := e.take(name)
	waiters := make([]driver.Request, n)
	for i := range waiters {
		waiters[i] = request(name, e.long())
		e.waitIn(waiters[i], driver.MaxKeep, i)
	}
	return t, waiters
}

// notYet checks that r is refused a name that is kept for another.
func (e *env) notYet(s driver.Store, r, first driver.Request, ahead int) {
	e.Helper()
	_, err := s.Acquire(e.ctx, r)
	held := e.held(err, "acquire out of turn")
	if !held.Kept || held.Holder != first.Holder || held.Ahead != ahead || held.Remaining <= 0 || held.Remaining > driver.MaxKeep {
		e.Errorf("out of turn the error is %+v; want %q kept for %q, with %d ahead", held, r.Name, first.Holder, ahead)
	}
}

func (e *env) leaveLine(r driver.Request) {
	e.Helper()
	if err := e.queue().Leave(e.ctx, r.Name, r.Attempt); err != nil {
		e.Errorf("leave the line for %s: %v", fence.Quote(r.Name), err)
	}
}

func (e *env) waiters(name string) []driver.Waiter {
	e.Helper()
	all, err := e.queue().Waiters(e.ctx, name, driver.MaxWaiters)
	if err != nil {
		e.Fatalf("list who waits for %s: %v", fence.Quote(name), err)
	}
	return all
}

// firstComeFirstServed lets the last ask first, through another client.
func firstComeFirstServed(e *env) {
	t, line := e.line(e.name("waited for"), 4)
	other := e.open()
	for i, r := range line {
		e.release(t)
		for j := len(line) - 1; j > i; j-- {
			e.notYet(other, line[j], r, j-i)
		}
		t = e.acquire(e.store, r)
		if all := e.waiters(t.Name); len(all) != len(line)-i-1 {
			e.Errorf("after %d of %d were served, %d wait: %+v", i+1, len(line), len(all), all)
		}
	}
}

// newcomerDoesNotOvertake asks for a name that is held, then free, then broken.
func newcomerDoesNotOvertake(e *env) {
	t, line := e.line(e.name("waited for"), 2)
	newcomer := request(t.Name, e.long())
	_, err := e.store.Acquire(e.ctx, newcomer)
	if held := e.held(err, "acquire a held name that others wait for"); held.Kept || held.Token != t.Token || held.Ahead != 2 {
		e.Errorf("the error is %+v; want it held with token %s, and 2 ahead", held, t.Token)
	}
	e.release(t)
	before := e.inspect(t.Name)
	e.notYet(e.open(), newcomer, line[0], 2)
	e.unchanged(before, "an acquire out of turn")
	e.acquire(e.store, line[0])
	never := e.name("never leased")
	e.waitIn(driver.Request{Name: never, Attempt: line[0].Attempt, Holder: line[0].Holder, TTL: e.long()}, driver.MaxKeep, 0)
	e.notYet(e.store, request(never, e.long()), line[0], 1)
	e.acquire(e.store, request(e.name("another"), e.long()))
}

// placeIsKept repeats a Wait, as a waiter does that lives or whose reply was lost.
func placeIsKept(e *env) {
	t, line := e.line(e.name("waited for"), 2)
	const shorter = driver.MaxKeep / 4
	e.waitIn(line[0], shorter, 0)
	e.waitIn(line[0], driver.MaxKeep, 0)
	e.waitIn(line[1], driver.MaxKeep, 1)
	all := e.waiters(t.Name)
	if len(all) != 2 || all[0].Holder != line[0].Holder || all[0].Left <= shorter {
		e.Errorf("after their places were kept, %+v wait; want each of the two once, and the first for %s more", all, driver.MaxKeep)
	}
	e.release(t)
	e.notYet(e.store, line[1], line[0], 1)
	e.acquire(e.store, line[0])
	if _, err := e.queue().Wait(e.ctx, line[0], driver.MaxKeep); err != nil {
		e.Errorf("a waiter was granted the name while it said that it waits, which fails: %v", err)
	}
	e.leaveLine(line[0])
}

// vanishedWaiterLapses has a waiter that is heard of no more until its place is lost.
func vanishedWaiterLapses(e *env) {
	e.queue()
	t := e.take(e.name("waited for"))
	vanished, next, last := request(t.Name, e.long()), request(t.Name, e.long()), request(t.Name, e.long())
	keep := 2 * e.brief()
	since := time.Now()
	e.waitIn(vanished, keep, 0)
	_, err := e.queue().Wait(e.ctx, next, driver.MaxKeep) // the place before it may have lapsed on a slow machine
	if err != nil {
		e.Fatalf("wait: %v", err)
	}
	e.release(t)
	e.until("the place to lapse", func() bool {
		t, err = e.store.Acquire(e.ctx, next)
		return err == nil
	})
	if waited := time.Since(since); waited < keep-e.props.Resolution || waited > driver.MaxKeep-15*time.Second {
		e.Errorf("a place that was to last %s kept the next one waiting for %s", keep, waited)
	}
	e.waitIn(last, driver.MaxKeep, 0)
	e.waitIn(vanished, driver.MaxKeep, 1)
}

func leaverCostsNothing(e *env) {
	t, line := e.line(e.name("waited for"), 3)
	e.leaveLine(line[1])
	e.leaveLine(line[0])
	e.leaveLine(line[0])
	e.leaveLine(request(t.Name, e.long())) // had no place
	e.release(t)
	e.acquire(e.store, line[2])
}

func waitersAreShown(e *env) {
	t, line := e.line(e.name("waited for"), 3)
	all := e.waiters(t.Name)
	if len(all) != len(line) {
		e.Fatalf("%d waiters are shown; want %d", len(all), len(line))
	}
	for i, w := range all {
		if w.Holder != line[i].Holder || w.Waited < 0 || w.Waited > patience || w.Left <= 0 || w.Left > driver.MaxKeep || w.Since.IsZero() {
			e.Errorf("waiter %d is shown as %+v; want %q, since when, and how long its place lasts", i, w, line[i].Holder)
		}
		if text := fmt.Sprintf("%+v", w); strings.Contains(text, line[i].Attempt) {
			e.Errorf("waiter %d shows its attempt: %s", i, text)
		}
	}
	if two, err := e.queue().Waiters(e.ctx, t.Name, 2); err != nil || len(two) != 2 {
		e.Errorf("of at most 2 waiters %d are shown, %v", len(two), err)
	}
	if none := e.waiters(e.name("waited")); len(none) != 0 {
		e.Errorf("%+v wait for a name that nobody waits for", none)
	}
}

func badWaitsRefused(e *env) {
	q := e.queue()
	good := request(e.name("waited for"), e.long())
	for what, spoil := range map[string]func(*driver.Request){
		"no name":          func(r *driver.Request) { r.Name = "" },
		"no attempt":       func(r *driver.Request) { r.Attempt = "" },
		"a control holder": func(r *driver.Request) { r.Holder = "a\nb" },
		"no lease":         func(r *driver.Request) { r.TTL = 0 },
	} {
		r := good
		spoil(&r)
		_, err := q.Wait(e.ctx, r, driver.MaxKeep)
		e.is(err, fence.ErrInvalid, "wait with "+what)
	}
	for _, keep := range []time.Duration{-time.Second, 0, driver.MinKeep - 1, driver.MaxKeep + 1} {
		_, err := q.Wait(e.ctx, good, keep)
		e.is(err, fence.ErrInvalid, "wait with a place for "+keep.String())
	}
	e.is(q.Leave(e.ctx, "", good.Attempt), fence.ErrInvalid, "leave the line of no name")
	e.is(q.Leave(e.ctx, good.Name, ""), fence.ErrInvalid, "leave without an attempt")
	_, err := q.Waiters(e.ctx, good.Name, 0)
	e.is(err, fence.ErrInvalid, "list no waiters")
	if all := e.waiters(good.Name); len(all) != 0 {
		e.Errorf("refused waits left places behind: %+v", all)
	}
}

// hintGoesToTheFirst has the waiters begin to listen in another order than that of their
// places, through one client each.
func hintGoesToTheFirst(e *env) {
	ability[driver.TurnWatcher](e, "hints in the order of the places")
	t, line := e.line(e.name("waited for"), 3)
	hints := make([]<-chan struct{}, len(line))
	for _, i := range []int{2, 0, 1} {
		var err error
		if hints[i], err = e.open().(driver.TurnWatcher).WatchTurn(e.ctx, t.Name, line[i].Attempt); err != nil {
			e.Fatalf("watch for a turn: %v", err)
		}
	}
	for i, r := range line {
		e.release(t)
		e.hinted(hints[i], "a release, to the first in line")
		for j, other := range hints {
			if len(other) > 0 {
				e.Errorf("waiter %d got a hint at the turn of waiter %d", j, i)
			}
		}
		t = e.acquire(e.store, r)
	}
	e.hintAfterLeaving(t)
}

// hintAfterLeaving has the first in line leave when it could have had the name.
func (e *env) hintAfterLeaving(t driver.Term) {
	e.Helper()
	first, next := request(t.Name, e.long()), request(t.Name, e.long())
	e.waitIn(first, driver.MaxKeep, 0)
	e.waitIn(next, driver.MaxKeep, 1)
	hints, err := e.open().(driver.TurnWatcher).WatchTurn(e.ctx, t.Name, next.Attempt)
	if err != nil {
		e.Fatalf("watch for a turn: %v", err)
	}
	e.release(t)
	for len(hints) > 0 { // who does not listen can't be told
		<-hints
	}
	e.leaveLine(first)
	e.hinted(hints, "the first one's leaving, to the next")
}

// batchKeepsEachPlace joins, keeps and refuses in one batch.
func batchKeepsEachPlace(e *env) {
	q := ability[driver.BatchQueue](e, "places in a batch")
	t, line := e.line(e.name("waited for"), 2)
	other := request(e.name("another"), e.long())
	e.waitIn(other, driver.MaxKeep, 0)
	joins, bad := request(t.Name, e.long()), request(t.Name, e.long())
	bad.Attempt = ""
	var all []driver.Waiting
	for _, r := range []driver.Request{joins, line[1], bad, other, line[0]} {
		all = append(all, driver.Waiting{Request: r, Keep: driver.MaxKeep})
	}
	got := q.WaitAll(e.ctx, all)
	if len(got) != len(all) {
		e.Fatalf("a batch of %d has %d outcomes", len(all), len(got))
	}
	for i, ahead := range []int{2, 1, -1, 0, 0} {
		if ahead < 0 {
			e.is(got[i].Err, fence.ErrInvalid, "a bad wait in a batch")
		} else if got[i].Err != nil || got[i].Place.Ahead != ahead {
			e.Errorf("wait %d of a batch: %+v; want %d ahead", i, got[i], ahead)
		}
	}
	e.release(t)
	for _, r := range []driver.Request{line[0], line[1], joins} {
		e.release(e.acquire(e.store, r))
	}
	if got := q.WaitAll(e.ctx, nil); len(got) != 0 {
		e.Errorf("an empty batch has %d outcomes", len(got))
	}
}
