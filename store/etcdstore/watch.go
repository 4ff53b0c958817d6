package etcdstore

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/fence"
)

var errNoWatch = errors.New("etcd ended the watch before it began")

// hub shares one watch among all who wait for a name in this process, so that
// an end wakes one of them.
type hub struct {
	mu      sync.Mutex
	watched map[string]*watched
}

// watched is a name that somebody waits for.
type watched struct {
	waiting []chan struct{} // in turn; each has room for one hint
	ready   chan struct{}   // closed when the watch has begun, or has failed
	err     error
	cancel  context.CancelFunc
}

// Watch implements driver.Watcher. Also a lease that ran out gives a hint.
func (s *Store) Watch(ctx context.Context, name string) (<-chan struct{}, error) {
	if err := fence.CheckName(name); err != nil {
		return nil, err
	}
	if r := s.left(ctx); r.kind != nil {
		return nil, r.fault()
	}
	hint := make(chan struct{}, 1)
	w := s.join(name, hint)
	if w == nil {
		return nil, s.left(ctx).fault()
	}
	context.AfterFunc(ctx, func() { s.leave(name, w, hint) })
	select {
	case <-w.ready:
		if w.err == nil {
			return hint, nil
		}
		s.leave(name, w, hint)
		return nil, before(judge(w.err)).fault()
	case <-ctx.Done():
	case <-s.ctx.Done():
	}
	return nil, s.left(ctx).fault()
}

// join adds a waiter, and begins the watch with the first one.
func (s *Store) join(name string, hint chan struct{}) *watched {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	w := s.hub.watched[name]
	if w == nil {
		ctx, cancel := context.WithCancel(s.ctx)
		w = &watched{ready: make(chan struct{}), cancel: cancel}
		if !s.spawn(func() { s.follows(ctx, name, w) }) {
			cancel()
			return nil
		}
		s.hub.watched[name] = w
	}
	w.waiting = append(w.waiting, hint)
	return w
}

// leave removes a waiter. A hint that it has not taken goes to the next one.
func (s *Store) leave(name string, w *watched, hint chan struct{}) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	i := slices.Index(w.waiting, hint)
	if i < 0 {
		return
	}
	w.waiting = slices.Delete(w.waiting, i, i+1)
	if len(w.waiting) == 0 {
		w.cancel()
		if s.hub.watched[name] == w {
			delete(s.hub.watched, name)
		}
		return
	}
	select {
	case <-hint:
		w.wake()
	default:
	}
}

// wake gives a hint to the first waiter that has none, and puts it last.
func (w *watched) wake() {
	for i, hint := range w.waiting {
		select {
		case hint <- struct{}{}:
			w.waiting = append(slices.Delete(w.waiting, i, i+1), hint)
			return
		default:
		}
	}
}

// follows watches the live key of name until ctx ends, on one connection after
// the other.
func (s *Store) follows(ctx context.Context, name string, w *watched) {
	for first := true; ; first = false {
		s.stream(ctx, name, w, first)
		if first && w.err != nil {
			s.hub.mu.Lock()
			defer s.hub.mu.Unlock()
			if s.hub.watched[name] == w {
				delete(s.hub.watched, name) // the next waiter begins anew
			}
			w.cancel()
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// stream is one watch. It tells the waiters when the first one has begun, or why
// it has not within the time of one try. A later one begins with a hint, since
// nobody saw what happened before it.
func (s *Store) stream(ctx context.Context, name string, w *watched, first bool) {
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	slow := time.AfterFunc(s.try, cancel)
	defer slow.Stop()
	events := s.client.Watch(ctx, s.keys.live(name), clientv3.WithFilterPut(), clientv3.WithCreatedNotify())
	begun := false
	for r := range events {
		switch {
		case r.Err() != nil:
			if first && !begun {
				w.err = r.Err()
				close(w.ready)
			}
			return
		case r.Created && slow.Stop():
			if begun = true; first {
				close(w.ready)
			} else {
				s.hintTo(w)
			}
		case len(r.Events) > 0:
			s.hintTo(w)
		}
	}
	if first && !begun {
		w.err = errNoWatch
		close(w.ready)
	}
}

func (s *Store) hintTo(w *watched) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	w.wake()
}
