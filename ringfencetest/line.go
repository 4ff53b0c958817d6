package ringfencetest

import (
	"context"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// lines remembers who has waited for a name, over all clients, so that a thief can push in.
type lines struct {
	mu  sync.Mutex
	all map[string]map[string]bool // the attempts of each name
}

func (l *lines) add(name, attempt string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[string]map[string]bool{}
	}
	if l.all[name] == nil {
		l.all[name] = map[string]bool{}
	}
	l.all[name][attempt] = true
}

// clear takes all those who wait for name out of its line. They come back by themselves.
func (l *lines) clear(s *Store, name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for attempt := range l.all[name] {
		_ = s.Store.Leave(context.Background(), name, attempt)
	}
	delete(l.all, name)
}

// Wait implements driver.Queue.
func (s *Store) Wait(ctx context.Context, r driver.Request, keep time.Duration) (p driver.Place, err error) {
	err = s.link.through(ctx, func() (e error) {
		p, e = s.Store.Wait(ctx, r, keep)
		s.lines.add(r.Name, r.Attempt)
		return e
	})
	return answer(p, err)
}

// Leave implements driver.Queue.
func (s *Store) Leave(ctx context.Context, name, attempt string) error {
	return s.link.through(ctx, func() error { return s.Store.Leave(ctx, name, attempt) })
}

// Waiters implements driver.Queue.
func (s *Store) Waiters(ctx context.Context, name string, limit int) (all []driver.Waiter, err error) {
	err = s.link.through(ctx, func() (e error) { all, e = s.Store.Waiters(ctx, name, limit); return e })
	return answer(all, err)
}

// WatchTurn implements driver.TurnWatcher. A watch that has begun lasts.
func (s *Store) WatchTurn(ctx context.Context, name, attempt string) (hints <-chan struct{}, err error) {
	err = s.link.through(ctx, func() (e error) { hints, e = s.Store.WatchTurn(ctx, name, attempt); return e })
	return answer(hints, err)
}
