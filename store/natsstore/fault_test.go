package natsstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/natsstore"
	"github.com/ringfence-go/ringfence/store/storetest"
)

const lease = time.Minute

func request(name, attempt string) driver.Request {
	return driver.Request{Name: name, Attempt: attempt, Holder: "holder of " + attempt, TTL: lease}
}

func open(t *testing.T, js jetstream.JetStream, o *natsstore.Options) *natsstore.Store {
	t.Helper()
	var s *natsstore.Store
	until(t, "a server that answers", func() (opened bool) {
		var err error
		if s, err = natsstore.Open(t.Context(), js, o); err != nil && !errors.Is(err, driver.ErrUnavailable) {
			t.Fatal(err)
		}
		return err == nil
	})
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func acquire(t *testing.T, s driver.Store, name, attempt string) driver.Term {
	t.Helper()
	term, err := s.Acquire(t.Context(), request(name, attempt))
	if err != nil {
		t.Fatalf("acquire %s: %v", name, err)
	}
	return term
}

// until polls for a condition that a server will fulfil.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(60 * time.Second); !done(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func TestServerRestart(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	store := open(t, s.connect(t, s.addr()), nil)
	term := acquire(t, store, "x", "a")
	s.stop()
	if _, err := store.Renew(t.Context(), term, lease); !errors.Is(err, driver.ErrUnavailable) && !errors.Is(err, driver.ErrUnknown) {
		t.Errorf("renew without a server: %v; want unavailable or unknown", err)
	}
	s.start(t)
	until(t, "the lease to be renewed after the restart", func() bool {
		_, err := store.Renew(t.Context(), term, lease)
		if err != nil && !errors.Is(err, driver.ErrUnavailable) && !errors.Is(err, driver.ErrUnknown) {
			t.Fatalf("renew after the restart: %v", err)
		}
		return err == nil
	})
	if err := store.Release(t.Context(), term); err != nil {
		t.Fatal(err)
	}
	if next := acquire(t, store, "x", "b"); next.Token <= term.Token {
		t.Errorf("token %s after %s", next.Token, term.Token)
	}
}

// TestBucketMadeAnew: the bucket is deleted with all its records, and made again
// under clients that remember its revisions. No number comes back.
func TestBucketMadeAnew(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	js := s.connect(t, s.addr())
	old := open(t, js, nil)
	last := acquire(t, old, "x", "a")
	kept := acquire(t, old, "kept", "a")
	for range 3 {
		if err := old.Release(t.Context(), last); err != nil {
			t.Fatal(err)
		}
		if err := js.DeleteStream(t.Context(), "KV_ringfence"); err != nil {
			t.Fatal(err)
		}
		if _, err := old.Acquire(t.Context(), request("x", "nowhere")); !errors.Is(err, driver.ErrUnfit) {
			t.Errorf("acquire without a bucket: %v; want unfit", err)
		}
		if _, err := old.Inspect(t.Context(), "x"); !errors.Is(err, driver.ErrUnfit) {
			t.Errorf("inspect without a bucket: %v; want unfit", err)
		}
		open(t, js, nil)
		next := acquire(t, old, "x", "b"+last.Attempt)
		if next.Token <= last.Token {
			t.Errorf("after the bucket was made anew: token %s; want one above %s", next.Token, last.Token)
		}
		last = next
	}
	if _, err := old.Renew(t.Context(), kept, lease); !errors.Is(err, driver.ErrEnded) {
		t.Errorf("renew of a term that went with its bucket: %v; want ended", err)
	}
	id, err := old.Identity(t.Context())
	if err != nil || id.Current == "" || id.Floor == 0 {
		t.Errorf("identity %+v, %v", id, err)
	}
}

// TestRevisionsNeverMeet: a client remembers a revision of a bucket that is gone,
// and the same steps were taken in the next one.
func TestRevisionsNeverMeet(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	js := s.connect(t, s.addr())
	old := open(t, js, nil)
	if err := old.Release(t.Context(), acquire(t, old, "x", "a")); err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteStream(t.Context(), "KV_ringfence"); err != nil {
		t.Fatal(err)
	}
	other := open(t, js, nil)
	if _, err := other.Renew(t.Context(), acquire(t, other, "x", "b"), lease); err != nil {
		t.Fatal(err)
	}
	if term, err := old.Acquire(t.Context(), request("x", "c")); !errors.Is(err, driver.ErrHeld) {
		t.Errorf("acquire with a revision of another bucket: %+v, %v; want held", term, err)
	}
}

// TestOwnRecordLost: the bucket's own record goes, as when somebody purges keys.
func TestOwnRecordLost(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	js := s.connect(t, s.addr())
	store := open(t, js, nil)
	high := acquire(t, store, "high", "a").Token + 100*fence.TokensPerTick
	floor, err := store.Raise(t.Context(), high)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), "KV_ringfence")
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if term := acquire(t, store, "high", "b"); term.Token <= floor {
		t.Errorf("after everything was purged: token %s; want one above %s", term.Token, floor)
	}
}

// TestFloorRaisedUnderACaller: the caller has read an older floor, and writes
// after the new one. What it gets lies above the new one all the same.
func TestFloorRaisedUnderACaller(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	js := s.connect(t, s.addr())
	caller, operator := open(t, js, nil), open(t, js, nil)
	first := acquire(t, caller, "x", "a")
	if err := caller.Release(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	floor, err := operator.Raise(t.Context(), first.Token+1<<40)
	if err != nil {
		t.Fatal(err)
	}
	term := acquire(t, caller, "x", "b") // goes on from the record that it has written
	if term.Token <= floor {
		t.Errorf("token %s was granted with the floor at %s", term.Token, floor)
	}
	again, err := operator.Acquire(t.Context(), request("x", "b"))
	if err != nil || again.Token != term.Token {
		t.Errorf("the attempt asked again: %+v, %v; want token %s", again, err, term.Token)
	}
}

// TestStaleRead: a client that takes an old record for the present one overwrites
// nothing.
func TestStaleRead(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	stale, other := open(t, s.connect(t, s.addr()), nil), open(t, s.connect(t, s.addr()), nil)
	first := acquire(t, stale, "x", "a")
	if err := stale.Release(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	second := acquire(t, other, "x", "b") // stale still remembers a released record
	var held *driver.HeldError
	if _, err := stale.Acquire(t.Context(), request("x", "c")); !errors.As(err, &held) || held.Token != second.Token {
		t.Errorf("acquire after a stale read: %v; want held with token %s", err, second.Token)
	}
	mine := acquire(t, stale, "y", "a")
	if _, err := other.Break(t.Context(), "y", "operator"); err != nil {
		t.Fatal(err)
	}
	theirs := acquire(t, other, "y", "b") // stale still remembers its own term
	if _, err := stale.Renew(t.Context(), mine, lease); !errors.Is(err, driver.ErrEnded) {
		t.Errorf("renew after a stale read: %v; want ended", err)
	}
	for _, term := range []driver.Term{second, theirs} {
		if _, err := other.Renew(t.Context(), term, lease); err != nil {
			t.Errorf("the present holder of %s: %v; want it untouched", term.Name, err)
		}
	}
}

// TestLostReply: each step is taken, and its answer is lost. The call finds out
// when the network is whole again, and takes the step once.
func TestLostReply(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	proxy := realserver.NewProxy(t, s.addr())
	witness := open(t, s.connect(t, s.addr()), nil)
	store := open(t, s.connect(t, proxy.Addr()), &natsstore.Options{AnswerWithin: 300 * time.Millisecond})
	term := acquire(t, store, "x", "a")
	seen := func(what string, ok func(driver.Record) bool) {
		until(t, what, func() bool {
			rec, err := witness.Inspect(t.Context(), "x")
			return err == nil && ok(rec)
		})
		proxy.Heal()
	}
	during := func(call func() error, what string, ok func(driver.Record) bool) error {
		proxy.DropReplies()
		done := make(chan error, 1)
		go func() { done <- call() }()
		seen(what, ok)
		return <-done
	}
	before, err := witness.Inspect(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	err = during(func() error { _, err := store.Renew(t.Context(), term, 2*lease); return err },
		"the renewal", func(r driver.Record) bool { return r.ExpiresAt.After(before.ExpiresAt) })
	if err != nil && !errors.Is(err, driver.ErrUnknown) {
		t.Errorf("renew with a lost reply: %v; want the term or unknown", err)
	}
	until(t, "the way to be open", func() bool { _, err := store.Inspect(t.Context(), "x"); return err == nil })
	err = during(func() error { return store.Release(t.Context(), term) },
		"the release", func(r driver.Record) bool { return r.State == driver.Released })
	if err != nil && !errors.Is(err, driver.ErrUnknown) {
		t.Errorf("release with a lost reply: %v; want nil or unknown", err)
	}
	until(t, "the way to be open", func() bool { _, err := store.Inspect(t.Context(), "x"); return err == nil })
	var got driver.Term
	err = during(func() (err error) { got, err = store.Acquire(t.Context(), request("x", "b")); return err },
		"the grant", func(r driver.Record) bool { return r.State == driver.Held })
	if err != nil && !errors.Is(err, driver.ErrUnknown) {
		t.Errorf("acquire with a lost reply: %v; want the grant or unknown", err)
	}
	again := acquire(t, witness, "x", "b")
	if err == nil && again.Token != got.Token {
		t.Errorf("token %s, and asked again %s; want one grant", got.Token, again.Token)
	}
}

func TestUnansweredCallIsUnknown(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	proxy := realserver.NewProxy(t, s.addr())
	store := open(t, s.connect(t, proxy.Addr()), nil)
	acquire(t, store, "x", "a")
	if err := store.Release(t.Context(), acquire(t, store, "x", "a")); err != nil {
		t.Fatal(err)
	}
	proxy.DropReplies()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := store.Acquire(ctx, request("x", "b")); !errors.Is(err, driver.ErrUnknown) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("acquire whose answer was lost: %v; want unknown", err)
	}
	if _, err := store.Inspect(ctx, "x"); !errors.Is(err, driver.ErrUnavailable) {
		t.Errorf("inspect after the end of its context: %v; want unavailable", err)
	}
	witness := open(t, s.connect(t, s.addr()), nil)
	if rec, err := witness.Inspect(t.Context(), "x"); err != nil || rec.State != driver.Held || rec.Holder != "holder of b" {
		t.Errorf("the record is %+v, %v; want the grant of which no answer came", rec, err)
	}
}

// TestMemoryIsNotDurable runs the clauses about a restart on a bucket in memory.
func TestMemoryIsNotDurable(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	target := storetest.Target{
		Open: func(ctx context.Context) (driver.Store, error) {
			return natsstore.Open(ctx, s.connect(t, s.addr()), &natsstore.Options{InMemory: true})
		},
		Restart: func(context.Context) error { s.restart(t); return nil },
	}
	for _, c := range storetest.Clauses() {
		if c.ID == "C05" || c.ID == "C30" {
			t.Run(c.ID, func(t *testing.T) { c.Run(t, target) })
		}
	}
}
