package storetest

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

const (
	patience = 90 * time.Second       // the longest that one clause may take
	pace     = 5 * time.Millisecond   // between two looks at a store
	long     = 3 * time.Minute        // a lease that does not end during a clause
	brief    = 200 * time.Millisecond // a lease to see the end of
)

// env is what one clause works with.
type env struct {
	T
	ctx    context.Context
	target Target
	scope  string // random: no other clause or run uses names with it
	store  driver.Store
	props  driver.Properties
}

func newEnv(t T, ctx context.Context, target Target) *env {
	t.Helper()
	e := &env{T: t, ctx: ctx, target: target, scope: strings.ToLower(rand.Text()[:12])}
	e.store = e.open()
	e.props = e.store.Properties()
	return e
}

// open opens one more client, to be closed when the clause ends.
func (e *env) open() driver.Store {
	e.Helper()
	s, err := e.target.Open(e.ctx)
	return e.opened(s, err)
}

func (e *env) opened(s driver.Store, err error) driver.Store {
	e.Helper()
	if err != nil {
		e.Fatalf("open a client of the store: %v", err)
	}
	e.Cleanup(func() { _ = s.Close() })
	return s
}

// name makes a name that only this clause uses.
func (e *env) name(suffix string) string { return "clause/" + e.scope + "/" + suffix }

// long and brief are lease lengths that the store grants.
func (e *env) long() time.Duration  { return max(e.props.MinTTL, long) }
func (e *env) brief() time.Duration { return max(e.props.MinTTL, brief) }

// request asks for name with a new attempt and a holder of its own.
func request(name string, ttl time.Duration) driver.Request {
	id := rand.Text()
	return driver.Request{Name: name, Attempt: "attempt-" + id, Holder: "holder " + id[:6], TTL: ttl}
}

// acquire gets a lease that must be granted.
func (e *env) acquire(s driver.Store, r driver.Request) driver.Term {
	e.Helper()
	t, err := s.Acquire(e.ctx, r)
	if err != nil {
		e.Fatalf("acquire %s: %v; want a grant", fence.Quote(r.Name), err)
	}
	return t
}

// take gets a long lease of name.
func (e *env) take(name string) driver.Term {
	e.Helper()
	return e.acquire(e.store, request(name, e.long()))
}

func (e *env) release(t driver.Term) {
	e.Helper()
	if err := e.store.Release(e.ctx, t); err != nil {
		e.Fatalf("release %s: %v", t.Fence, err)
	}
}

// lapse gets a brief lease of name and waits until it is over.
func (e *env) lapse(name string) (driver.Request, driver.Term) {
	e.Helper()
	r := request(name, e.brief())
	t := e.acquire(e.store, r)
	e.awaitOver(name)
	return r, t
}

// awaitOver waits until the store itself says that nobody holds name.
func (e *env) awaitOver(name string) {
	e.Helper()
	e.until("the lease of "+fence.Quote(name)+" to end", func() bool {
		return e.inspect(name).State != driver.Held
	})
}

// until looks again and again until done, or until the clause's time is over.
func (e *env) until(what string, done func() bool) {
	e.Helper()
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-e.ctx.Done():
			e.Fatalf("waited for %s: %v", what, context.Cause(e.ctx))
		}
	}
}

func (e *env) inspect(name string) driver.Record {
	e.Helper()
	rec, err := e.store.Inspect(e.ctx, name)
	if err != nil {
		e.Fatalf("inspect %s: %v", fence.Quote(name), err)
	}
	return rec
}

// unchanged checks that nothing but time has touched a record since before.
func (e *env) unchanged(before driver.Record, after string) {
	e.Helper()
	now := e.inspect(before.Name)
	same := now.State == before.State && now.Token == before.Token && now.Holder == before.Holder &&
		now.EndedBy == before.EndedBy && now.GrantedAt.Equal(before.GrantedAt) && now.ExpiresAt.Equal(before.ExpiresAt)
	if !same {
		e.Errorf("after %s the record is\n%+v; want it untouched:\n%+v", after, now, before)
	}
}

// rises checks that a later grant of a name has the higher token.
func (e *env) rises(older, newer fence.Token, after string) {
	e.Helper()
	if newer <= older {
		e.Errorf("the token after %s is %s; want one above %s", after, newer, older)
	}
}

var sentinels = []error{
	driver.ErrHeld, driver.ErrEnded, driver.ErrFull, driver.ErrUnknown, driver.ErrUnavailable,
	driver.ErrUnfit, driver.ErrClosed, fence.ErrInvalid,
}

// is checks that err matches want, and no other sentinel beside it.
func (e *env) is(err, want error, what string) bool {
	e.Helper()
	if !errors.Is(err, want) {
		e.Errorf("%s: error %v; want one that matches %q", what, err, want)
		return false
	}
	for _, other := range sentinels {
		if other != want && errors.Is(err, other) {
			e.Errorf("%s: error %v matches %q and also %q; want exactly one", what, err, want, other)
			return false
		}
	}
	return true
}

// ended checks that err says that term f is over, and how it ended.
func (e *env) ended(err error, f fence.Fence, cause driver.EndCause, what string) {
	e.Helper()
	if !e.is(err, driver.ErrEnded, what) {
		return
	}
	var end *driver.EndedError
	if !errors.As(err, &end) || end.Cause != cause || end.Fence != f {
		e.Errorf("%s: %#v; want an EndedError of %s with cause %s", what, err, f, cause)
	}
}

// held checks that err says that somebody else has the name.
func (e *env) held(err error, what string) *driver.HeldError {
	e.Helper()
	var held *driver.HeldError
	if e.is(err, driver.ErrHeld, what) && !errors.As(err, &held) {
		e.Errorf("%s: %#v; want a HeldError", what, err)
	}
	if held == nil {
		held = &driver.HeldError{}
	}
	return held
}

// ability returns a client's optional ability, or skips the clause.
func ability[A any](e *env, what string) A {
	e.Helper()
	a, ok := e.store.(A)
	if !ok {
		e.Skipf("%s does not offer %s", e.props.Store, what)
	}
	return a
}
