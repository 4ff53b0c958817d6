package etcdstore

import (
	"context"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Watch implements driver.Watcher. All who wait for a name in this process without a place
// in line share one watch, and a hint goes to one of them, in turn. Also a lease that ran
// out gives a hint.
func (s *Store) Watch(ctx context.Context, name string) (<-chan struct{}, error) {
	if err := fence.CheckName(name); err != nil {
		return nil, err
	}
	return s.listen(ctx, watched{name: name}, "")
}

// WatchTurn implements driver.TurnWatcher. A process watches for the one of its waiters
// that stands before the others, so that it costs no more when there are many.
func (s *Store) WatchTurn(ctx context.Context, name, attempt string) (<-chan struct{}, error) {
	if err := driver.CheckPlace(name, attempt); err != nil {
		return nil, err
	}
	return s.listen(ctx, watched{name: name, turns: true}, attempt)
}

func (s *Store) listen(ctx context.Context, of watched, attempt string) (<-chan struct{}, error) {
	if r := s.left(ctx); r.kind != nil {
		return nil, r.fault()
	}
	w := &listener{attempt: attempt, mod: s.places.mod(of.name, attempt), hint: make(chan struct{}, 1)}
	l := s.hub.join(s, of, w)
	if l == nil {
		return nil, s.left(ctx).fault()
	}
	context.AfterFunc(ctx, func() { s.hub.leave(l, w) })
	select {
	case <-l.begun:
		if l.err == nil {
			return w.hint, nil
		}
		return nil, before(judge(l.err)).fault()
	case <-ctx.Done():
	case <-s.ctx.Done():
	}
	return nil, s.left(ctx).fault()
}
