package memstore

import (
	"context"
	"slices"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

var _ driver.Watcher = (*Store)(nil)

// Watch implements driver.Watcher.
func (s *Store) Watch(ctx context.Context, name string) (<-chan struct{}, error) {
	if err := fence.CheckName(name); err != nil {
		return nil, err
	}
	hints := make(chan struct{}, 1)
	_, err := step(ctx, s, func(m *shared, _ time.Time) (struct{}, error) {
		m.waiting[name] = append(m.waiting[name], hints)
		return struct{}{}, nil
	})
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { s.shared.leave(name, hints) })
	return hints, nil
}

// wake gives a hint to the one that has waited longest, who goes to the end.
func (m *shared) wake(name string) {
	all := m.waiting[name]
	if len(all) == 0 {
		return
	}
	m.waiting[name] = append(all[1:len(all):len(all)], all[0])
	select {
	case all[0] <- struct{}{}:
	default: // it has one already
	}
}

// leave ends a watch. A hint that it has not taken goes to the next.
func (m *shared) leave(name string, hints chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting[name] = slices.DeleteFunc(m.waiting[name], func(c chan struct{}) bool { return c == hints })
	select {
	case <-hints:
		m.wake(name)
	default:
	}
	if len(m.waiting[name]) == 0 {
		delete(m.waiting, name)
	}
}
