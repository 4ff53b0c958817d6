package ringfencetest

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// link is what lies between a client and its store.
type link struct{ state atomic.Int32 }

// The states of a link.
const (
	connected int32 = iota
	refusing        // the client is told that it can't ask
	silent          // requests get lost on their way
	deaf            // answers do
)

var (
	errCut    = errors.New("the test has cut the client off")
	errLost   = errors.New("the test lets requests get lost")
	errUntold = errors.New("the test lets answers get lost")
)

// CutOff makes every call of this client fail with ErrUnavailable at once: nothing is
// changed, and the caller knows.
func (s *Store) CutOff() { s.link.state.Store(refusing) }

// Silence lets every request of this client get lost: nothing is changed, and nobody
// answers until the caller's time is up.
func (s *Store) Silence() { s.link.state.Store(silent) }

// DropReplies lets every request of this client through and loses the answer: what was
// asked for is done, and the caller's error is ErrUnknown.
func (s *Store) DropReplies() { s.link.state.Store(deaf) }

// Reconnect mends the link of this client.
func (s *Store) Reconnect() { s.link.state.Store(connected) }

// through sends a call over the link.
func (l *link) through(ctx context.Context, call func() error) error {
	switch l.state.Load() {
	case refusing:
		return &driver.Fault{Kind: driver.ErrUnavailable, Err: errCut}
	case silent:
		<-ctx.Done()
		return &driver.Fault{Kind: driver.ErrUnknown, Err: errors.Join(errLost, context.Cause(ctx))}
	case deaf:
		_ = call()
		return &driver.Fault{Kind: driver.ErrUnknown, Err: errUntold}
	}
	return call()
}

// Acquire implements driver.Store.
func (s *Store) Acquire(ctx context.Context, r driver.Request) (t driver.Term, err error) {
	err = s.link.through(ctx, func() (e error) {
		if t, e = s.Store.Acquire(ctx, r); e == nil {
			s.grants.add(t.Fence)
		}
		return e
	})
	return answer(t, err)
}

// Renew implements driver.Store.
func (s *Store) Renew(ctx context.Context, old driver.Term, ttl time.Duration) (t driver.Term, err error) {
	err = s.link.through(ctx, func() (e error) { t, e = s.Store.Renew(ctx, old, ttl); return e })
	return answer(t, err)
}

// RenewAll implements driver.BatchRenewer.
func (s *Store) RenewAll(ctx context.Context, all []driver.Renewal) (done []driver.Renewed) {
	err := s.link.through(ctx, func() error { done = s.Store.RenewAll(ctx, all); return nil })
	if err != nil {
		done = make([]driver.Renewed, len(all))
		for i := range done {
			done[i].Err = err
		}
	}
	return done
}

// Release implements driver.Store.
func (s *Store) Release(ctx context.Context, t driver.Term) error {
	return s.link.through(ctx, func() error { return s.Store.Release(ctx, t) })
}

// Inspect implements driver.Store.
func (s *Store) Inspect(ctx context.Context, name string) (r driver.Record, err error) {
	err = s.link.through(ctx, func() (e error) { r, e = s.Store.Inspect(ctx, name); return e })
	return answer(r, err)
}

// Watch implements driver.Watcher. A watch that has begun lasts.
func (s *Store) Watch(ctx context.Context, name string) (hints <-chan struct{}, err error) {
	err = s.link.through(ctx, func() (e error) { hints, e = s.Store.Watch(ctx, name); return e })
	return answer(hints, err)
}

// answer is what a caller gets to see.
func answer[R any](r R, err error) (R, error) {
	if err != nil {
		var none R
		return none, err
	}
	return r, nil
}
