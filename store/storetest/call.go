package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// prompt is how soon a call must return once its context has ended.
const prompt = 2 * time.Second

func cancelledCall(e *env) {
	over, cancel := context.WithCancel(e.ctx)
	cancel()
	r := request(e.name("cancelled before"), e.long())
	e.cancelledAcquire(over, r)

	t := e.acquire(e.store, r)
	before := e.inspect(t.Name)
	e.cancelled("inspect", func() error { _, err := e.store.Inspect(over, t.Name); return err })
	if e.cancelled("renew", func() error { _, err := e.store.Renew(over, t, e.long()); return err }) {
		e.unchanged(before, "a renewal that could not be sent")
	}
	before = e.inspect(t.Name)
	if e.cancelled("release", func() error { return e.store.Release(over, t) }) {
		e.unchanged(before, "a release that could not be sent")
		e.release(t)
	}
	for i := range 20 { // in the middle of the call, as far as that can be hit
		e.cutOff(time.Duration(i) * 50 * time.Microsecond)
	}
}

// cutOff cancels an acquire after it has been on its way for a time.
func (e *env) cutOff(after time.Duration) {
	e.Helper()
	ctx, cancel := context.WithTimeout(e.ctx, after)
	defer cancel()
	e.cancelledAcquire(ctx, request(e.name(fmt.Sprint("cancelled after ", after)), e.long()))
}

// cancelledAcquire checks that an acquire which is cut off either answers or
// leaves the lease to its own attempt: nobody else holds it, none is lost.
func (e *env) cancelledAcquire(ctx context.Context, r driver.Request) {
	e.Helper()
	var t driver.Term
	unsent := e.cancelled("acquire", func() (err error) { t, err = e.store.Acquire(ctx, r); return err })
	if rec := e.inspect(r.Name); unsent && rec.State != driver.Free {
		e.Errorf("an acquire failed as unavailable, which says that nothing changed, and the record is %+v; want none", rec)
	}
	again, err := e.store.Acquire(e.ctx, r)
	if err != nil || (t.Token != 0 && again.Token != t.Token) {
		e.Errorf("the attempt of a cancelled acquire, asked again: %+v, %v; want its grant (first answer: %+v)", again, err, t)
	}
}

// cancelled makes a call whose context ends, checks how it returns, and
// reports whether it says that nothing was changed.
func (e *env) cancelled(what string, call func() error) (unsent bool) {
	e.Helper()
	done := make(chan error, 1)
	go func() { done <- call() }()
	limit := time.NewTimer(prompt)
	defer limit.Stop()
	select {
	case err := <-done:
		unsent = errors.Is(err, driver.ErrUnavailable)
		if err != nil && !unsent {
			e.is(err, driver.ErrUnknown, "a cancelled "+what)
		}
	case <-limit.C:
		e.Fatalf("a cancelled %s has not returned %s after its context ended", what, prompt)
	}
	return unsent
}

func inspectChangesNothing(e *env) {
	free := e.name("never leased")
	for range 3 {
		if rec := e.inspect(free); rec != (driver.Record{Name: free, State: driver.Free}) {
			e.Errorf("inspect of a name that was never leased: %+v; want a free one without token, holder or times", rec)
		}
	}
	t := e.take(e.name("looked at"))
	before := e.inspect(t.Name)
	for range 3 {
		e.unchanged(before, "an inspect")
	}
	if before.Remaining <= 0 || before.Remaining > e.props.RoundTTL(e.long()) {
		e.Errorf("a lease of %s has %s left; want more than 0 and no more than that", e.long(), before.Remaining)
	}
}

func closeIsFinal(e *env) {
	other := e.open()
	t := e.take(e.name("left open"))
	for range 2 {
		if err := e.store.Close(); err != nil {
			e.Errorf("close: %v; want nil, also for the second time", err)
		}
	}
	for what, call := range e.everyCall(t) {
		e.is(call(), driver.ErrClosed, what+" after close")
	}
	if e.store.Properties() != e.props {
		e.Errorf("properties after close are %+v; want %+v", e.store.Properties(), e.props)
	}
	if _, err := other.Renew(e.ctx, t, e.long()); err != nil {
		e.Errorf("renew through another client after one was closed: %v; want the lease still held", err)
	}
}

// everyCall is each method of the store that can fail, with good arguments.
func (e *env) everyCall(t driver.Term) map[string]func() error {
	s := e.store
	calls := map[string]func() error{
		"acquire": func() error { _, err := s.Acquire(e.ctx, request(t.Name, e.long())); return err },
		"renew":   func() error { _, err := s.Renew(e.ctx, t, e.long()); return err },
		"release": func() error { return s.Release(e.ctx, t) },
		"inspect": func() error { _, err := s.Inspect(e.ctx, t.Name); return err },
	}
	if l, ok := s.(driver.Lister); ok {
		calls["list"] = func() error { _, err := l.List(e.ctx, t.Name, "", 1); return err }
	}
	if b, ok := s.(driver.Breaker); ok {
		calls["break"] = func() error { _, err := b.Break(e.ctx, t.Name, "suite"); return err }
	}
	if r, ok := s.(driver.Recoverer); ok {
		calls["raise"] = func() error { _, err := r.Raise(e.ctx, 1); return err }
		calls["identity"] = func() error { _, err := r.Identity(e.ctx); return err }
	}
	if p, ok := s.(driver.Pruner); ok {
		calls["prune"] = func() error { _, err := p.Prune(e.ctx, driver.MaxTTL, 1); return err }
	}
	return calls
}
