// Package memstore is the reference store: the contract of driver.Store in
// executable form, in one map behind one mutex. It serves tests, and programs
// whose leases need not outlive or leave their process.
package memstore

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

var properties = driver.Properties{
	Store:      "memory",
	Clock:      "the process that holds the store",
	Resolution: time.Millisecond,
	MinTTL:     10 * time.Millisecond,
}

// Options change how a store is made. A nil *Options means the defaults.
type Options struct {
	// Clock is the store's own clock: it judges every lease and lends tokens
	// their floor. It is called with the store locked. Defaults to time.Now.
	Clock func() time.Time
}

// Store is one client of leases held in memory. It implements driver.Store,
// driver.Lister, driver.Breaker, driver.BatchRenewer, driver.Watcher, driver.Queue,
// driver.BatchQueue, driver.TurnWatcher, driver.Recoverer and driver.Pruner.
type Store struct {
	shared *shared
	closed atomic.Bool
}

// shared is what all clients of one memory see.
type shared struct {
	clock    func() time.Time
	identity string

	mu      sync.Mutex
	rows    map[string]*row
	floor   fence.Token           // nothing at or below it is granted
	waiting map[string][]listener // for hints, in turn
	lines   map[string][]*place   // of those who wait, in order
}

// New returns the first client of an empty memory.
func New(o *Options) *Store {
	clock := time.Now
	if o != nil && o.Clock != nil {
		clock = o.Clock
	}
	return &Store{shared: &shared{
		clock: clock, identity: rand.Text(),
		rows: map[string]*row{}, waiting: map[string][]listener{}, lines: map[string][]*place{},
	}}
}

// Share returns one more client of the same leases, as a second connection to a
// server would be. Each client is closed by itself.
func (s *Store) Share() *Store { return &Store{shared: s.shared} }

// Properties implements driver.Store.
func (s *Store) Properties() driver.Properties { return properties }

// Close implements driver.Store. The leases stay, for the other clients.
func (s *Store) Close() error {
	s.closed.Store(true)
	return nil
}

// step is the one atomic step that every method takes. The clock is read under
// the lock, so that the order of two steps is also the order of their times.
func step[R any](ctx context.Context, s *Store, f func(m *shared, now time.Time) (R, error)) (R, error) {
	var none R
	if s.closed.Load() {
		return none, &driver.Fault{Kind: driver.ErrClosed, Hint: "open another client of the memory store"}
	}
	if err := ctx.Err(); err != nil {
		return none, &driver.Fault{Kind: driver.ErrUnavailable, Err: fmt.Errorf("memory store was not asked: %w", err)}
	}
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	return f(s.shared, s.shared.clock())
}

// Acquire implements driver.Store.
func (s *Store) Acquire(ctx context.Context, r driver.Request) (driver.Term, error) {
	if err := r.Check(properties); err != nil {
		return driver.Term{}, err
	}
	return step(ctx, s, func(m *shared, now time.Time) (driver.Term, error) {
		var last fence.Token
		if old := m.rows[r.Name]; old != nil {
			cause, over := old.over(now)
			switch {
			case old.attempt == r.Attempt && over:
				return driver.Term{}, ended(old.Fence, cause)
			case old.attempt == r.Attempt:
				return old.term(now), nil
			case !over:
				return driver.Term{}, m.held(old, r.Attempt, now)
			}
			last = old.Token
		}
		if err := m.kept(r, last, now); err != nil {
			return driver.Term{}, err
		}
		return m.grant(r, last, now)
	})
}

// grant writes a new term over whatever the name had, with a token above last.
func (m *shared) grant(r driver.Request, last fence.Token, now time.Time) (driver.Term, error) {
	token := fence.Next(last, m.floor, fence.TickOf(now))
	if !token.Valid() {
		return driver.Term{}, &driver.Fault{
			Kind: driver.ErrUnfit,
			Err:  fmt.Errorf("memory store has no token left for %s: %d is the highest", fence.Quote(r.Name), fence.MaxToken),
			Hint: "its floor was raised too far, or its clock is wrong: start a new store",
		}
	}
	granted := &row{
		Fence:   fence.Fence{Name: r.Name, Token: token},
		attempt: r.Attempt,
		holder:  r.Holder,
		granted: now,
		expires: now.Add(properties.RoundTTL(r.TTL)),
	}
	m.rows[r.Name] = granted
	m.leaveLine(r.Name, r.Attempt)
	return granted.term(now), nil
}

// exact finds the row of exactly this term, unless the term is over. A wrong
// attempt learns no more than a stranger may: that the name went on without it.
func (m *shared) exact(t driver.Term, now time.Time) (*row, error) {
	r := m.rows[t.Name]
	if r == nil || r.Token != t.Token || r.attempt != t.Attempt {
		return nil, ended(t.Fence, driver.EndSuperseded)
	}
	if cause, over := r.over(now); over {
		return nil, ended(t.Fence, cause)
	}
	return r, nil
}

// Renew implements driver.Store.
func (s *Store) Renew(ctx context.Context, t driver.Term, ttl time.Duration) (driver.Term, error) {
	if err := checkRenewal(t, ttl); err != nil {
		return driver.Term{}, err
	}
	return step(ctx, s, func(m *shared, now time.Time) (driver.Term, error) { return m.renew(t, ttl, now) })
}

func checkRenewal(t driver.Term, ttl time.Duration) error {
	if err := t.Check(); err != nil {
		return err
	}
	return properties.CheckTTL(ttl)
}

func (m *shared) renew(t driver.Term, ttl time.Duration, now time.Time) (driver.Term, error) {
	r, err := m.exact(t, now)
	if err != nil {
		return driver.Term{}, err
	}
	r.expires = now.Add(properties.RoundTTL(ttl))
	return r.term(now), nil
}

// Release implements driver.Store.
func (s *Store) Release(ctx context.Context, t driver.Term) error {
	if err := t.Check(); err != nil {
		return err
	}
	_, err := step(ctx, s, func(m *shared, now time.Time) (struct{}, error) {
		r, err := m.exact(t, now)
		if err == nil {
			r.end(driver.EndReleased, "", now)
			m.wake(t.Name)
		}
		return struct{}{}, err
	})
	return err
}

// Inspect implements driver.Store.
func (s *Store) Inspect(ctx context.Context, name string) (driver.Record, error) {
	if err := fence.CheckName(name); err != nil {
		return driver.Record{}, err
	}
	return step(ctx, s, func(m *shared, now time.Time) (driver.Record, error) {
		return m.record(name, now), nil
	})
}
