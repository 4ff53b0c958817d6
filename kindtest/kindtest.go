// Package kindtest is the contract of the kinds of lease as tests: permits, shared and
// exclusive leases, several names at once, a delay after an expiry. docs/contract.md numbers
// its clauses. A store that passes package storetest passes these too, since each kind is
// composed of ordinary leases; running them shows that nothing on the way was forgotten.
//
//	func TestKinds(t *testing.T) {
//		kindtest.Run(t, kindtest.Target{
//			Open: func(ctx context.Context) (driver.Store, error) { return mystore.Open(ctx, url) },
//		})
//	}
package kindtest

import (
	"context"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/recorder"
)

// Target is a store under test. The suite uses names of its own in it.
type Target struct {
	// Open opens one more client of the same leases. Required. The suite closes it.
	Open func(ctx context.Context) (driver.Store, error)

	// acquire is the implementation: that of the Locker, or a broken one.
	acquire acquirer
}

type acquirer func(ctx context.Context, l *ringfence.Locker, name string, wait time.Duration, h ringfence.Hold) (*ringfence.Lease, error)

// T is what a clause needs of a test. *testing.T has it.
type T = recorder.T

// Clause is one promise and the test of it.
type Clause struct {
	ID   string // K01 and up, as in docs/contract.md
	Name string // the heading there, with underscores

	test func(*env)
}

// Clauses lists the contract in order.
func Clauses() []Clause { return append([]Clause(nil), clauses...) }

var clauses = []Clause{
	{"K01", "permits_are_counted", permitsAreCounted},
	{"K02", "any_permit_will_do", anyPermitWillDo},
	{"K03", "readers_share", readersShare},
	{"K04", "a_writer_finds_no_reader", aWriterFindsNoReader},
	{"K05", "a_reader_finds_no_writer", aReaderFindsNoWriter},
	{"K06", "a_waiting_writer_comes_first", aWaitingWriterComesFirst},
	{"K07", "a_reader_has_its_place_among_writers", aReaderHasItsPlaceAmongWriters},
	{"K08", "a_reader_late_at_the_gate_stays_out", aReaderLateAtTheGateStaysOut},
	{"K09", "all_names_or_none", allNamesOrNone},
	{"K10", "no_circle", noCircle},
	{"K11", "the_first_loss_ends_all", theFirstLossEndsAll},
	{"K12", "kept_while_waiting", keptWhileWaiting},
	{"K13", "delay_after_an_expiry", delayAfterAnExpiry},
	{"K14", "delay_after_a_break", delayAfterABreak},
	{"K15", "bad_kinds_refused", badKindsRefused},
}

// Run runs every clause against target as a parallel subtest of t, such as
// TestKinds/K01_permits_are_counted. Close what Target uses in t.Cleanup, not in a defer.
func Run(t *testing.T, target Target) {
	for _, c := range clauses {
		t.Run(c.ID+"_"+c.Name, func(t *testing.T) {
			t.Parallel()
			c.Run(t, target)
		})
	}
}

// Run runs the clause against target, and reports to t. It may end the calling
// goroutine, as t.Fatalf and t.Skipf do.
func (c Clause) Run(t T, target Target) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	if target.acquire == nil {
		target.acquire = ofTheLocker
	}
	c.test(&env{T: t, ctx: ctx, target: target, prefix: "kind " + rand.Text() + " "})
}

func ofTheLocker(ctx context.Context, l *ringfence.Locker, name string, wait time.Duration, h ringfence.Hold) (*ringfence.Lease, error) {
	if wait == 0 {
		return l.TryAcquire(ctx, name, h)
	}
	return l.Acquire(ctx, name, wait, h)
}

const (
	// patience is how long a clause may take on a busy machine.
	patience = 90 * time.Second
	// long is a lease that no clause sees the end of.
	long = 10 * time.Minute
)

// env is what a clause works with.
type env struct {
	T
	ctx    context.Context
	target Target
	prefix string // of all names
}

// client is one process: a store and a Locker on it.
type client struct {
	*env
	store  driver.Store
	locker *ringfence.Locker
}

// client opens one more client. wrap, where it isn't nil, stands before its store.
func (e *env) client(wrap func(driver.Store) driver.Store) *client {
	e.Helper()
	store, err := e.target.Open(e.ctx)
	if err != nil {
		e.Fatalf("open: %v", err)
	}
	e.Cleanup(func() { _ = store.Close() })
	c := &client{env: e, store: store}
	if wrap != nil {
		store = wrap(store)
	}
	if c.locker, err = ringfence.New(store, &ringfence.Options{RequestTimeout: patience / 4}); err != nil {
		e.Fatalf("a Locker: %v", err)
	}
	e.Cleanup(func() { _ = c.locker.Close(context.WithoutCancel(e.ctx)) })
	return c
}

func (e *env) name(n string) string { return e.prefix + n }

// acquire asks for a lease of a kind; one that was granted is released with the clause.
func (c *client) acquire(n string, wait time.Duration, h ringfence.Hold) (*ringfence.Lease, error) {
	c.Helper()
	lease, err := c.target.acquire(c.ctx, c.locker, c.name(n), wait, h)
	if err == nil {
		c.Cleanup(func() { _ = lease.Release(context.WithoutCancel(c.ctx)) })
	}
	return lease, err
}

// of is a long lease of that kind.
func of(k ringfence.Kind) ringfence.Hold { return ringfence.Hold{TTL: long, Kind: k} }

// hold acquires at once, or ends the clause.
func (c *client) hold(n string, h ringfence.Hold) *ringfence.Lease {
	c.Helper()
	lease, err := c.answered(n, h)
	if err != nil {
		c.Fatalf("acquire: %v", err)
	}
	return lease
}

// answered is what comes of a try. On a busy machine the answer can take as long as the lease.
func (c *client) answered(n string, h ringfence.Hold) (*ringfence.Lease, error) {
	c.Helper()
	for {
		lease, err := c.acquire(n, 0, h)
		if !errors.Is(err, ringfence.ErrUnavailable) || !pause(c.ctx, 50*time.Millisecond) {
			return lease, err
		}
	}
}

// refused expects the name to be held.
func (c *client) refused(what, n string, h ringfence.Hold) {
	c.Helper()
	lease, err := c.answered(n, h)
	if err == nil {
		c.Fatalf("%s: granted with token %s of %q", what, lease.Term().Token, lease.Term().Name)
	}
	if held, ok := errors.AsType[*ringfence.HeldError](err); !ok || !held.Token.Valid() || held.Remaining <= 0 {
		c.Fatalf("%s: the error tells of no holder: %v", what, err)
	}
}

func (c *client) release(lease *ringfence.Lease) {
	c.Helper()
	if err := lease.Release(c.ctx); err != nil {
		c.Fatalf("release: %v", err)
	}
}

// waits asks in the background for up to patience.
func (c *client) waits(n string, h ringfence.Hold) <-chan *ringfence.Lease {
	granted := make(chan *ringfence.Lease, 1)
	go func() {
		lease, err := c.acquire(n, patience, h)
		if err != nil && c.ctx.Err() == nil {
			c.Errorf("the one that waits: %v", err)
		}
		granted <- lease
	}()
	return granted
}

// granted is what a waiter got, or the end of the clause.
func (e *env) granted(what string, wait <-chan *ringfence.Lease) *ringfence.Lease {
	e.Helper()
	select {
	case lease := <-wait:
		if lease == nil {
			e.Fatalf("%s: not granted", what)
		}
		return lease
	case <-e.ctx.Done():
		e.Fatalf("%s: not granted in %s", what, patience)
	}
	return nil
}

func (c *client) state(n string) driver.Record {
	c.Helper()
	rec, err := c.store.Inspect(c.ctx, c.name(n))
	if err != nil {
		c.Fatalf("inspect: %v", err)
	}
	return rec
}

// until polls what somebody else brings about.
func (e *env) until(what string, done func() bool) {
	e.Helper()
	for !done() {
		if !pause(e.ctx, 5*time.Millisecond) {
			e.Fatalf("%s: it did not happen in %s", what, patience)
		}
	}
}

func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// lasting is a lease to keep alive by renewals, on a busy machine too.
func (c *client) lasting() time.Duration { return 3*time.Second + 3*c.store.Properties().Resolution }

// brief is a lease to see the end of.
func (c *client) brief() time.Duration {
	p := c.store.Properties()
	return max(time.Second, p.MinTTL) + 2*p.Resolution
}
