package stores

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// blackHoledHolder: trust ends before another is granted, and without any word
// from the store.
func blackHoledHolder(t *testing.T, at *site) string {
	s, stop, _ := at.stall(t)
	ttl := lasting(s)
	lease := hold(t, newLocker(t, s, &ringfence.Options{RequestTimeout: ttl / 4}), "job", ringfence.Hold{TTL: ttl, Renew: true})
	other := newLocker(t, at.direct(t), nil)
	stop()
	next, err := other.Acquire(t.Context(), "job", patience, ringfence.Hold{TTL: long})
	now := time.Now()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(next.Abandon)
	if trusted := lease.TrustedUntil(); !trusted.Before(now) {
		t.Errorf("the other was granted at %s, and the first trusts its lease until %s", now, trusted)
	}
	until(t, "the end of the first holder's context", func() bool { return lease.Context().Err() != nil })
	wantEnded(t, "the first holder", context.Cause(lease.Context()), driver.EndUnreachable, driver.EndExpired)
	return ""
}

// neverAnswers: each call ends with its context, and never as done.
func neverAnswers(t *testing.T, at *site) string {
	s, stop, _ := at.stall(t)
	term := take(t, s, "job", long)
	stop()
	const limit = time.Second
	done := make(chan error, 3)
	for name, call := range map[string]func(context.Context) error{
		"acquire": func(ctx context.Context) error { _, err := s.Acquire(ctx, request("other", long)); return err },
		"renew":   func(ctx context.Context) error { _, err := s.Renew(ctx, term, long); return err },
		"release": func(ctx context.Context) error { return s.Release(ctx, term) },
	} {
		go func() {
			err := call(within(t, limit))
			if errors.Is(err, driver.ErrUnknown) || errors.Is(err, driver.ErrUnavailable) {
				err = nil
			} else {
				err = fmt.Errorf("%s: got %v; want it in doubt, or known not to be done", name, err)
			}
			done <- err
		}()
	}
	overdue := time.After(limit + 20*time.Second)
	for range cap(done) {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case <-overdue:
			t.Fatal("a call did not return when its context ended")
		}
	}
	return ""
}

// renewalReplyLost: the release that follows frees the name at once, and a late
// heartbeat brings nothing back.
func renewalReplyLost(t *testing.T, at *site) string {
	s, lose, heal := at.lossy(t)
	open := at.direct(t)
	term := take(t, s, "job", long)
	_, err := s.Renew(t.Context(), term, 10*long) // so that the next one is one step
	before, look := open.Inspect(t.Context(), "job")
	if err := errors.Join(err, look); err != nil {
		t.Fatal(err)
	}
	<-time.After(max(at.tick, 2*time.Millisecond))
	lose()
	_, err = s.Renew(within(t, 6*time.Second), term, 10*long)
	heal()
	if err != nil && !errors.Is(err, driver.ErrUnknown) {
		t.Errorf("the renewal: %v", err)
	}
	if rec, err := open.Inspect(t.Context(), "job"); err != nil || !rec.ExpiresAt.After(before.ExpiresAt) {
		t.Errorf("the renewal was not carried out: %+v, before %+v (error %v)", rec, before, err)
	}
	until(t, "the release", func() bool { err = s.Release(t.Context(), term); return !errors.Is(err, driver.ErrUnavailable) })
	if err != nil && !errors.Is(err, driver.ErrUnknown) {
		t.Errorf("the release: %v", err)
	}
	next := take(t, open, "job", long)
	_, err = s.Renew(t.Context(), term, long)
	wantEnded(t, "a late heartbeat", err, driver.EndSuperseded)
	if _, err := open.Renew(t.Context(), next, long); err != nil {
		t.Errorf("the next holder: %v", err)
	}
	return ""
}

// oneBadRenewal: the store is out of reach for one renewal, and the lease is kept.
func oneBadRenewal(t *testing.T, at *site) string {
	s, stop, goOn := at.stall(t)
	ttl := 4 * lasting(s)
	failed := make(chan struct{}, 100)
	locker := newLocker(t, s, &ringfence.Options{RequestTimeout: ttl / 12, OnEvent: func(e ringfence.Event) {
		if e.Kind == ringfence.EventRenewFailed {
			failed <- struct{}{}
		}
	}})
	lease := hold(t, locker, "job", ringfence.Hold{TTL: ttl, Renew: true})
	stop()
	select {
	case <-failed:
	case <-time.After(patience):
		t.Fatal("no renewal failed")
	}
	goOn()
	last := lease.TrustedUntil()
	until(t, "a renewal after the bad one", func() bool { return lease.TrustedUntil().After(last) || lease.Context().Err() != nil })
	if err := context.Cause(lease.Context()); err != nil {
		t.Errorf("one bad renewal cost the lease: %v", err)
	}
	return ""
}

// acquireReplyLost: the same attempt gets what it was granted, and nobody else does.
func acquireReplyLost(t *testing.T, at *site) string {
	s, lose, heal := at.lossy(t)
	open := at.direct(t)
	release(t, s, take(t, s, "job", long)) // so that the next acquire is one step
	r := request("job", long)
	lose()
	_, err := s.Acquire(within(t, 6*time.Second), r)
	heal()
	if err != nil && !errors.Is(err, driver.ErrUnknown) {
		t.Fatalf("the acquire: %v", err)
	}
	granted, err := open.Inspect(t.Context(), "job")
	if err != nil || granted.State != driver.Held {
		t.Fatalf("the acquire was not carried out: %+v (error %v)", granted, err)
	}
	var term driver.Term
	until(t, "an answer", func() bool { term, err = s.Acquire(t.Context(), r); return !errors.Is(err, driver.ErrUnavailable) })
	if err != nil || term.Token != granted.Token {
		t.Errorf("the same attempt got token %s (error %v); it was granted %s", term.Token, err, granted.Token)
	}
	if term, err := open.Acquire(t.Context(), request("job", long)); !errors.Is(err, driver.ErrHeld) {
		t.Errorf("another attempt got %+v (error %v)", term, err)
	}
	return ""
}

// diesWhileAcquiring: a client that acquires name after name is cut off in the
// middle, again and again. Whatever is left has an end.
func diesWhileAcquiring(t *testing.T, at *site) string {
	open := at.direct(t)
	ttl := brief(open)
	const kills = 8
	var left []string
	for k := range kills {
		p := realserver.NewProxy(t, at.addr)
		s := at.open(t, p.Addr())
		begun, done := make(chan struct{}), make(chan int)
		go func() {
			n := 0
			for ctx, cancel := context.WithTimeout(t.Context(), patience); ; n++ {
				_, err := s.Acquire(ctx, request(fmt.Sprintf("n-%d-%d", k, n), ttl))
				if n == 0 {
					close(begun)
				}
				if err != nil {
					cancel()
					done <- n
					return
				}
			}
		}()
		<-begun
		<-time.After(rand.N(10 * time.Millisecond)) // the moment is anywhere
		p.Refuse()
		_ = s.Close()
		for n := range <-done + 1 {
			left = append(left, fmt.Sprintf("n-%d-%d", k, n))
		}
	}
	for _, name := range left {
		untilOver(t, open, name)
	}
	return ""
}

// untilOver waits until nobody holds a name, and checks that its record has an end.
func untilOver(t *testing.T, s driver.Store, name string) {
	t.Helper()
	until(t, "the end of "+name, func() bool {
		rec, err := s.Inspect(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if rec.State == driver.Held && (rec.ExpiresAt.IsZero() || rec.ExpiresAt.Sub(rec.GrantedAt) > long) {
			t.Fatalf("a lease without an end: %+v", rec)
		}
		return rec.State != driver.Held
	})
}
