package zkstore

import (
	"context"
	"slices"
	"sync"
)

// crowds are those of this process who wait for a name without a place in its line.
type crowds struct {
	mu  sync.Mutex
	all map[string]*crowd
}

// crowd is one name and who waits for it, the next one first.
type crowd struct {
	name    string
	waiting []chan struct{} // each has room for one hint; guarded by crowds.mu
	end     context.CancelFunc
	begun   chan struct{} // closed when the record is watched, or err is set
	err     error
}

// join adds a waiter, and begins to watch the record with the first one. It is nil where
// the store is closed.
func (h *crowds) join(s *Store, name string, hints chan struct{}) *crowd {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.all[name]
	if c == nil {
		c = &crowd{name: name, begun: make(chan struct{})}
		var ctx context.Context
		ctx, c.end = context.WithCancel(s.life.Context())
		if !s.life.Start(func() { h.watch(ctx, s, c) }) {
			c.end()
			return nil
		}
		if h.all == nil {
			h.all = map[string]*crowd{}
		}
		h.all[name] = c
	}
	c.waiting = append(c.waiting, hints)
	return c
}

// leave removes a waiter. A hint that it has not taken goes to the next; with the last one
// the watch ends.
func (h *crowds) leave(c *crowd, hints chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.Index(c.waiting, hints)
	if i < 0 {
		return
	}
	c.waiting = slices.Delete(c.waiting, i, i+1)
	if len(c.waiting) == 0 {
		h.close(c)
		return
	}
	select {
	case <-hints:
		c.hint()
	default:
	}
}

// close ends a crowd. h.mu is locked.
func (h *crowds) close(c *crowd) {
	c.end()
	if h.all[c.name] == c {
		delete(h.all, c.name)
	}
}

// hint goes to the first waiter that has none, who then is the last.
func (c *crowd) hint() {
	for i, hints := range c.waiting {
		select {
		case hints <- struct{}{}:
			c.waiting = append(slices.Delete(c.waiting, i, i+1), hints)
			return
		default:
		}
	}
}

// watch sees the record change until ctx ends.
func (h *crowds) watch(ctx context.Context, s *Store, c *crowd) {
	for begun := false; ctx.Err() == nil; {
		changed, v, err := s.watchRecord(ctx, c.name)
		if err != nil && !begun {
			h.mu.Lock()
			c.err = err
			h.close(c) // the next watch begins anew
			h.mu.Unlock()
			close(c.begun)
			return
		}
		if !begun {
			begun = true
			close(c.begun)
		}
		if err != nil {
			pauseAfter(ctx)
			continue
		}
		if v.Free() {
			h.mu.Lock()
			c.hint()
			h.mu.Unlock()
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}
