package memstore_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/memstore"
)

// clock is a store's clock that a test sets.
type clock struct{ now time.Time }

func (c *clock) options() *memstore.Options {
	return &memstore.Options{Clock: func() time.Time { return c.now }}
}

func request(name, attempt string) driver.Request {
	return driver.Request{Name: name, Attempt: attempt, Holder: "test", TTL: time.Second}
}

func acquire(t *testing.T, s *memstore.Store, r driver.Request) driver.Term {
	t.Helper()
	term, err := s.Acquire(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return term
}

func TestLeaseEndsAtItsExpiry(t *testing.T) {
	t.Parallel()
	c := &clock{now: fence.Epoch.Add(time.Hour)}
	s := memstore.New(c.options())
	acquire(t, s, request("x", "a"))
	c.now = c.now.Add(time.Second - 1)
	if _, err := s.Acquire(t.Context(), request("x", "b")); !errors.Is(err, driver.ErrHeld) {
		t.Errorf("1ns before its end: %v; want held", err)
	}
	c.now = c.now.Add(1)
	acquire(t, s, request("x", "b"))
}

func TestDefaultClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := memstore.New(&memstore.Options{})
		acquire(t, s, request("x", "a"))
		time.Sleep(time.Second)
		acquire(t, s, request("x", "b"))
	})
}

func TestTokenIsNeverBelowTheClock(t *testing.T) {
	t.Parallel()
	c := &clock{now: fence.Epoch.Add(time.Hour)}
	s := memstore.New(c.options())
	first := acquire(t, s, request("x", "a"))
	if want := fence.TickOf(c.now).First(); first.Token != want {
		t.Errorf("first token %s; want the first of its tick, %s", first.Token, want)
	}
	if err := s.Release(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	c.now = c.now.Add(-time.Minute) // set back: what orders two grants is last + 1
	if second := acquire(t, s, request("x", "b")); second.Token != first.Token+1 {
		t.Errorf("after the clock was set back: token %s; want %s", second.Token, first.Token+1)
	}
}

func TestCleanUpLeavesItsHighestNumber(t *testing.T) {
	t.Parallel()
	c := &clock{now: fence.Epoch.Add(time.Hour)}
	s := memstore.New(c.options())
	high := acquire(t, s, request("high", "a"))
	c.now = c.now.Add(-time.Minute)
	low := acquire(t, s, request("low", "a"))
	c.now = c.now.Add(time.Second + time.Minute)
	if n, err := s.Prune(t.Context(), 0, 10); n != 2 || err != nil {
		t.Fatalf("prune: %d, %v; want 2", n, err)
	}
	c.now = c.now.Add(-time.Hour)
	if again := acquire(t, s, request("low", "b")); again.Token <= high.Token || again.Token <= low.Token {
		t.Errorf("after the clean-up: token %s; want one above %s and %s", again.Token, high.Token, low.Token)
	}
}

func TestNoTokenLeft(t *testing.T) {
	t.Parallel()
	s := memstore.New(nil)
	if _, err := s.Raise(t.Context(), fence.MaxToken); !errors.Is(err, fence.ErrInvalid) {
		t.Errorf("raise above the last token: %v; want invalid", err)
	}
	if _, err := s.Raise(t.Context(), fence.MaxToken-1); err != nil {
		t.Fatal(err)
	}
	last := acquire(t, s, request("x", "a"))
	if last.Token != fence.MaxToken || s.Release(t.Context(), last) != nil {
		t.Fatalf("token %s; want %s", last.Token, fence.MaxToken)
	}
	if _, err := s.Acquire(t.Context(), request("x", "b")); !errors.Is(err, driver.ErrUnfit) {
		t.Errorf("after the last token: %v; want unfit", err)
	}
	if rec, err := s.Inspect(t.Context(), "x"); err != nil || rec.State != driver.Released {
		t.Errorf("after the refusal the record is %+v, %v; want it untouched", rec, err)
	}
}

func TestDoneContextChangesNothing(t *testing.T) {
	t.Parallel()
	s := memstore.New(nil)
	held := acquire(t, s, request("held", "a"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for what, call := range map[string]func() error{
		"acquire":  func() error { _, err := s.Acquire(ctx, request("free", "a")); return err },
		"renew":    func() error { _, err := s.Renew(ctx, held, time.Second); return err },
		"release":  func() error { return s.Release(ctx, held) },
		"inspect":  func() error { _, err := s.Inspect(ctx, "held"); return err },
		"list":     func() error { _, err := s.List(ctx, "", "", 1); return err },
		"break":    func() error { _, err := s.Break(ctx, "held", "test"); return err },
		"raise":    func() error { _, err := s.Raise(ctx, 1); return err },
		"identity": func() error { _, err := s.Identity(ctx); return err },
		"prune":    func() error { _, err := s.Prune(ctx, 0, 1); return err },
	} {
		if err := call(); !errors.Is(err, driver.ErrUnavailable) || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v; want unavailable and the context's own error", what, err)
		}
	}
	if page, err := s.List(t.Context(), "", "", 10); err != nil || len(page) != 1 || page[0].State != driver.Held {
		t.Errorf("afterwards: %+v, %v; want the one held name", page, err)
	}
}

func TestOddArguments(t *testing.T) {
	t.Parallel()
	s := memstore.New(nil)
	for what, call := range map[string]func() error{
		"list of 0":         func() error { _, err := s.List(t.Context(), "", "", 0); return err },
		"prune of 0":        func() error { _, err := s.Prune(t.Context(), 0, 0); return err },
		"negative idleness": func() error { _, err := s.Prune(t.Context(), -1, 1); return err },
		"break by a newline": func() error {
			_, err := s.Break(t.Context(), "x", "a\nb")
			return err
		},
	} {
		if err := call(); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("%s: %v; want invalid", what, err)
		}
	}
}
