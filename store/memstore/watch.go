package memstore

import (
	"context"
	"slices"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

var (
	_ driver.Watcher     = (*Store)(nil)
	_ driver.TurnWatcher = (*Store)(nil)
)

// listener is one watch.
type listener struct {
	attempt string // that may have a place in line; or empty
	hints   chan struct{}
}

// Watch implements driver.Watcher.
func (s *Store) Watch(ctx context.Context, name string) (<-chan struct{}, error) {
	if err := fence.CheckName(name); err != nil {
		return nil, err
	}
	return s.watch(ctx, name, "")
}

// WatchTurn implements driver.TurnWatcher.
func (s *Store) WatchTurn(ctx context.Context, name, attempt string) (<-chan struct{}, error) {
	if err := driver.CheckPlace(name, attempt); err != nil {
		return nil, err
	}
	return s.watch(ctx, name, attempt)
}

func (s *Store) watch(ctx context.Context, name, attempt string) (<-chan struct{}, error) {
	hints := make(chan struct{}, 1)
	_, err := step(ctx, s, func(m *shared, _ time.Time) (struct{}, error) {
		m.waiting[name] = append(m.waiting[name], listener{attempt, hints})
		return struct{}{}, nil
	})
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { s.shared.leave(name, hints) })
	return hints, nil
}

// wake gives a hint to the first in line, or where that one does not listen to the one
// that has waited longest for a hint, who goes to the end.
func (m *shared) wake(name string) {
	all := m.waiting[name]
	if len(all) == 0 {
		return
	}
	first := 0
	if line := m.line(name, m.clock()); len(line) > 0 {
		first = max(0, slices.IndexFunc(all, func(l listener) bool { return l.attempt == line[0].attempt }))
	}
	woken := all[first]
	m.waiting[name] = append(slices.Delete(all, first, first+1), woken)
	select {
	case woken.hints <- struct{}{}:
	default: // it has one already
	}
}

// leave ends a watch. A hint that it has not taken goes to the next.
func (m *shared) leave(name string, hints chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting[name] = slices.DeleteFunc(m.waiting[name], func(l listener) bool { return l.hints == hints })
	select {
	case <-hints:
		m.wake(name)
	default:
	}
	if len(m.waiting[name]) == 0 {
		delete(m.waiting, name)
	}
}
