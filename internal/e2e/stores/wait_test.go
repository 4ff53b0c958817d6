package stores

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
)

// deadWaiter: those who gave up are never granted, and the next one in life is.
func deadWaiter(t *testing.T, at *site) string {
	s := at.direct(t)
	locker, others := newLocker(t, s, nil), newLocker(t, at.direct(t), nil)
	lease := hold(t, locker, "job", ringfence.Hold{TTL: long})
	gone, leave := context.WithCancel(t.Context())
	const corpses = 5
	ends := make(chan error, corpses)
	for range corpses {
		go func() {
			_, err := others.Acquire(gone, "job", patience, ringfence.Hold{TTL: long})
			ends <- err
		}()
	}
	granted := make(chan *ringfence.Lease, 1)
	go func() {
		next, err := others.Acquire(t.Context(), "job", patience, ringfence.Hold{TTL: long})
		if err != nil {
			t.Errorf("the one that stayed: %v", err)
		}
		granted <- next
	}()
	<-time.After(100 * time.Millisecond) // they wait
	leave()
	for range corpses {
		if err := <-ends; err == nil {
			t.Error("one that gave up was granted the name")
		}
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Error(err)
	}
	if next := <-granted; next != nil && next.Fence().Token <= lease.Fence().Token {
		t.Errorf("token %s after %s", next.Fence().Token, lease.Fence().Token)
	}
	return ""
}

// corpsesInLine: before each of five that live stands one of which nothing is heard any more.
// The living are served in the order in which they came, and all the dead cost them one
// time-out.
func corpsesInLine(t *testing.T, at *site) string {
	const each, keep = 5, 5 * time.Second
	s := at.direct(t)
	queue, ok := s.(driver.Queue)
	if !ok {
		t.Fatal("the store keeps no line")
	}
	lease := hold(t, newLocker(t, s, nil), "job", ringfence.Hold{TTL: 10 * long})
	locker := newLocker(t, at.direct(t), nil)
	served := make(chan int, each)
	var alive sync.WaitGroup
	for i := range each {
		if _, err := queue.Wait(t.Context(), request("job", long), keep); err != nil {
			t.Fatal(err)
		}
		label := fmt.Sprint("alive ", i)
		alive.Go(func() {
			next, err := locker.Acquire(t.Context(), "job", 10*patience, ringfence.Hold{TTL: 10 * long, Holder: label})
			if err == nil {
				served <- i
				err = next.Release(t.Context())
			}
			if err != nil {
				t.Errorf("the waiter %d: %v", i, err)
			}
		})
		until(t, label+" to stand in line", func() bool {
			all, err := queue.Waiters(t.Context(), "job", 2*each)
			return err == nil && slices.ContainsFunc(all, func(w driver.Waiter) bool { return w.Holder == label })
		})
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Error(err)
	}
	since := time.Now()
	for i := range each {
		select {
		case got := <-served:
			if got != i {
				t.Errorf("the waiter %d was served in the place of %d", got, i)
			}
		case <-time.After(patience):
			t.Fatalf("the waiter %d was not served", i)
		}
	}
	if took := time.Since(since); took > (each-1)*keep {
		t.Errorf("the dead cost %s; want one time-out of %s", took, keep)
	}
	alive.Wait()
	return ""
}

// cancelledWait: the waiter returns, and the lease beside it is renewed on.
func cancelledWait(t *testing.T, at *site) string {
	s := at.direct(t)
	locker := newLocker(t, s, nil)
	take(t, at.direct(t), "taken", 10*long)
	kept := hold(t, locker, "kept", ringfence.Hold{TTL: lasting(s), Renew: true})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := locker.Acquire(ctx, "taken", 10*patience, ringfence.Hold{TTL: long})
		done <- err
	}()
	<-time.After(100 * time.Millisecond) // it waits
	cancel()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the waiter: %v", err)
		}
	case <-time.After(patience / 2):
		t.Fatal("the waiter did not return")
	}
	last := kept.TrustedUntil()
	until(t, "a renewal afterwards", func() bool { return kept.TrustedUntil().After(last) || kept.Context().Err() != nil })
	if err := context.Cause(kept.Context()); err != nil {
		t.Errorf("the lease beside it: %v", err)
	}
	return ""
}

// counting counts the acquires that reach a store.
type counting struct {
	driver.Store
	acquires atomic.Int64
}

func (c *counting) Acquire(ctx context.Context, r driver.Request) (driver.Term, error) {
	c.acquires.Add(1)
	return c.Store.Acquire(ctx, r)
}

// watching is counting for a store that gives hints.
type watching struct {
	*counting
	driver.Watcher
}

// manyWaiters: they ask a bounded number of times, and a release is for one of them.
func manyWaiters(t *testing.T, at *site) string {
	const waiters, pause = 50, 2 * time.Second
	holder := newLocker(t, at.direct(t), nil)
	c := &counting{Store: at.direct(t)}
	var s driver.Store = c
	if w, ok := c.Store.(driver.Watcher); ok {
		s = watching{c, w}
	}
	lease := hold(t, holder, "job", ringfence.Hold{TTL: 10 * long})
	locker := newLocker(t, s, nil)
	ctx, cancel := context.WithCancel(t.Context())
	granted, gone := make(chan *ringfence.Lease, waiters), make(chan struct{}, waiters)
	for range waiters {
		go func() {
			if next, err := locker.Acquire(ctx, "job", 10*patience, ringfence.Hold{TTL: 10 * long}); err == nil {
				granted <- next
			}
			gone <- struct{}{}
		}()
	}
	until(t, "all of them wait", func() bool { return c.acquires.Load() >= waiters })
	<-time.After(pause)
	// Pauses double from tens of milliseconds to a second; two seconds hold about eight.
	if n := c.acquires.Load(); n > 12*waiters {
		t.Errorf("%d waiters asked %d times", waiters, n)
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Error(err)
	}
	select {
	case next := <-granted:
		t.Cleanup(next.Abandon)
	case <-time.After(patience):
		t.Error("nobody was granted the name")
	}
	cancel()
	for range waiters {
		<-gone
	}
	if len(granted) != 0 {
		t.Errorf("%d more were granted the name", len(granted))
	}
	return ""
}
