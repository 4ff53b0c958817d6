package open

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// Lazy is the store behind t, connected at its first use, and again at the next
// one as long as that fails: so that a store which is down is an answer to the
// first acquire, and a wait for the name also waits for the store.
func (t Target) Lazy() *Lazy { return &Lazy{target: t} }

// Lazy is a driver.Store that connects when it is first used.
type Lazy struct {
	target Target
	mu     sync.Mutex
	store  Store
	closed bool
}

func (l *Lazy) open(ctx context.Context) (Store, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, &driver.Fault{Kind: driver.ErrClosed}
	}
	if l.store == nil {
		s, err := l.target.Store(ctx)
		if err != nil {
			return nil, err
		}
		l.store = s
	}
	return l.store, nil
}

// Acquire is that of the store.
func (l *Lazy) Acquire(ctx context.Context, r driver.Request) (driver.Term, error) {
	s, err := l.open(ctx)
	if err != nil {
		return driver.Term{}, err
	}
	return s.Acquire(ctx, r)
}

// Renew is that of the store.
func (l *Lazy) Renew(ctx context.Context, t driver.Term, ttl time.Duration) (driver.Term, error) {
	s, err := l.open(ctx)
	if err != nil {
		return driver.Term{}, err
	}
	return s.Renew(ctx, t, ttl)
}

// Release is that of the store.
func (l *Lazy) Release(ctx context.Context, t driver.Term) error {
	s, err := l.open(ctx)
	if err != nil {
		return err
	}
	return s.Release(ctx, t)
}

// Inspect is that of the store.
func (l *Lazy) Inspect(ctx context.Context, name string) (driver.Record, error) {
	s, err := l.open(ctx)
	if err != nil {
		return driver.Record{}, err
	}
	return s.Inspect(ctx, name)
}

// Watch is that of the store, where it gives hints.
func (l *Lazy) Watch(ctx context.Context, name string) (<-chan struct{}, error) {
	s, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	if w, ok := s.(driver.Watcher); ok {
		return w.Watch(ctx, name)
	}
	return nil, fmt.Errorf("hints at %s: %w", l.target.Label, errors.ErrUnsupported)
}

// WatchTurn is that of the store, or its Watch where it does not know whose turn it is.
func (l *Lazy) WatchTurn(ctx context.Context, name, attempt string) (<-chan struct{}, error) {
	s, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	if w, ok := s.(driver.TurnWatcher); ok {
		return w.WatchTurn(ctx, name, attempt)
	}
	return l.Watch(ctx, name)
}

// line is the store, where it keeps lines of waiters.
func (l *Lazy) line(ctx context.Context) (driver.Queue, error) {
	s, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	if q, ok := s.(driver.Queue); ok {
		return q, nil
	}
	return nil, fmt.Errorf("a line of waiters at %s: %w", l.target.Label, errors.ErrUnsupported)
}

// Wait is that of the store, where it keeps lines.
func (l *Lazy) Wait(ctx context.Context, r driver.Request, keep time.Duration) (driver.Place, error) {
	q, err := l.line(ctx)
	if err != nil {
		return driver.Place{}, err
	}
	return q.Wait(ctx, r, keep)
}

// Leave is that of the store, where it keeps lines.
func (l *Lazy) Leave(ctx context.Context, name, attempt string) error {
	q, err := l.line(ctx)
	if err != nil {
		return err
	}
	return q.Leave(ctx, name, attempt)
}

// Waiters is that of the store, where it keeps lines.
func (l *Lazy) Waiters(ctx context.Context, name string, limit int) ([]driver.Waiter, error) {
	q, err := l.line(ctx)
	if err != nil {
		return nil, err
	}
	return q.Waiters(ctx, name, limit)
}

// MinLease is the shortest lease that the stores grant.
const MinLease = 10 * time.Millisecond

// Properties are what all stores that are linked in have in common, so that they
// are known before one is opened.
func (l *Lazy) Properties() driver.Properties {
	return driver.Properties{
		Store: l.target.Label, Clock: "the store's own, in each step",
		Resolution: l.target.resolution, MinTTL: MinLease, Durable: true,
	}
}

// Close closes the store if it was opened.
func (l *Lazy) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.store == nil {
		return nil
	}
	return l.store.Close()
}
