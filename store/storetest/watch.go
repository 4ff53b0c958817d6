package storetest

import (
	"context"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// watch begins to wait for name at s, until ctx ends.
func (e *env) watch(ctx context.Context, s driver.Store, name string) <-chan struct{} {
	e.Helper()
	hints, err := s.(driver.Watcher).Watch(ctx, name)
	if err != nil {
		e.Fatalf("watch %q: %v", name, err)
	}
	return hints
}

// hinted waits for a hint.
func (e *env) hinted(hints <-chan struct{}, after string) {
	e.Helper()
	select {
	case <-hints:
	case <-e.ctx.Done():
		e.Fatalf("no hint came after %s", after)
	}
}

func watchHintsAtAnEnd(e *env) {
	ability[driver.Watcher](e, "a hint")
	t := e.take(e.name("released"))
	hints := e.watch(e.ctx, e.open(), t.Name)
	e.release(t)
	e.hinted(hints, "a release")
	if _, ok := e.store.(driver.Breaker); ok {
		e.take(t.Name)
		e.breakName(t.Name)
		e.hinted(hints, "a break")
	}
}

// watchHandsItsHintOn has two waiters in one process; the first gives up with the
// hint in its hands.
func watchHandsItsHintOn(e *env) {
	ability[driver.Watcher](e, "a hint")
	t := e.take(e.name("released"))
	waiter := e.open()
	ctx, giveUp := context.WithCancel(e.ctx)
	defer giveUp()
	first := e.watch(ctx, waiter, t.Name)
	second := e.watch(e.ctx, waiter, t.Name)
	e.release(t)
	soon := time.Now().Add(10 * brief)
	e.until("a hint", func() bool { return len(first)+len(second) > 0 || time.Now().After(soon) })
	if len(first) == 0 || len(second) > 0 {
		return // none came, or to both: there is nothing to hand on
	}
	giveUp()
	e.hinted(second, "the first waiter gave up without taking its hint")
}
