package broken

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/memstore"
)

// world is what all clients of a wrong store share: a right memory, and what
// the faults remember beside it.
type world struct {
	clock  func() time.Time
	memory *memstore.Store

	mu       sync.Mutex
	attempts map[fence.Fence]string      // of every grant
	clients  map[string]*client          // through which an attempt came first
	folded   map[string]string           // the last name that folds to this one
	pruned   map[string]fence.Token      // of names that were forgotten
	hidden   map[driver.Term]fence.Token // the real token of a term that shows another
	lines    map[string][]driver.Request // who has ever waited for a name
}

func newWorld(clock func() time.Time) *world {
	if clock == nil {
		clock = present
	}
	w := &world{
		clock:    clock,
		attempts: map[fence.Fence]string{},
		clients:  map[string]*client{},
		folded:   map[string]string{},
		pruned:   map[string]fence.Token{},
		hidden:   map[driver.Term]fence.Token{},
		lines:    map[string][]driver.Request{},
	}
	w.memory = memstore.New(&memstore.Options{Clock: clock})
	return w
}

// lose restarts the memory with nothing in it. No process starts twice within a
// millisecond, and neither does this one.
func (w *world) lose() {
	<-time.After(time.Millisecond)
	w.memory = memstore.New(&memstore.Options{Clock: w.clock})
}

// note remembers the attempt of a grant.
func (w *world) note(t driver.Term) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.attempts[t.Fence] = t.Attempt
}

func (w *world) attemptOf(f fence.Fence) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.attempts[f]
}

// exchange returns the value of a key and sets it to a new one.
func exchange[K comparable, V any](w *world, m map[K]V, k K, v V) V {
	w.mu.Lock()
	defer w.mu.Unlock()
	old := m[k]
	m[k] = v
	return old
}

// shows lets a client show an older token for some of its grants: older says
// which, given the record of the name before. The term stays usable, so that
// nothing but the number is wrong.
func (w *world) shows(c *client, older func(before driver.Record) (fence.Token, bool)) {
	c.acquire = func(ctx context.Context, r driver.Request) (driver.Term, error) {
		before, err := c.right.Inspect(ctx, r.Name)
		if err != nil {
			return driver.Term{}, err
		}
		t, err := c.right.Acquire(ctx, r)
		if err != nil || t.Token == before.Token {
			return t, err
		}
		if token, lie := older(before); lie {
			real := t.Token
			t.Token = token
			exchange(w, w.hidden, identity(t), real)
		}
		return t, nil
	}
	c.renew = func(ctx context.Context, t driver.Term, ttl time.Duration) (driver.Term, error) {
		renewed, err := c.right.Renew(ctx, w.real(t), ttl)
		if err == nil {
			renewed.Token = t.Token
		}
		return renewed, err
	}
	c.release = func(ctx context.Context, t driver.Term) error { return c.right.Release(ctx, w.real(t)) }
	c.renewAll = func(ctx context.Context, all []driver.Renewal) []driver.Renewed {
		real := slices.Clone(all)
		for i, r := range all {
			real[i].Term = w.real(r.Term)
		}
		got := c.right.RenewAll(ctx, real)
		for i := range got {
			if got[i].Err == nil {
				got[i].Term.Token = all[i].Term.Token
			}
		}
		return got
	}
}

// real is the term that t stands for.
func (w *world) real(t driver.Term) driver.Term {
	w.mu.Lock()
	defer w.mu.Unlock()
	if token, ok := w.hidden[identity(t)]; ok {
		t.Token = token
	}
	return t
}

// identity is what makes two terms the same.
func identity(t driver.Term) driver.Term {
	t.Remaining = 0
	return t
}

// endedAs reports whether err says that a term ended so.
func endedAs(err error, cause driver.EndCause) bool {
	var end *driver.EndedError
	return errors.As(err, &end) && end.Cause == cause
}

// steal takes a name away from whoever has it.
func steal(ctx context.Context, c *client, r driver.Request) (driver.Term, error) {
	if _, err := c.right.Break(ctx, r.Name, "fault"); err != nil {
		return driver.Term{}, err
	}
	return c.right.Acquire(ctx, r)
}

// revive grants the name of a term that is over anew, and calls it the same term.
func revive(ctx context.Context, c *client, t driver.Term, ttl time.Duration) (driver.Term, error) {
	_, err := c.right.Acquire(ctx, driver.Request{Name: t.Name, Attempt: rand.Text(), TTL: ttl})
	t.Remaining = ttl
	return t, err
}

func heldBy(name string, rec driver.Record) error {
	return &driver.HeldError{Name: name, Holder: rec.Holder, Token: rec.Token, Remaining: rec.Remaining}
}
