package etcdstore

import (
	"context"
	"slices"
	"sync"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/fence"
)

// Watch implements driver.Watcher. Those who wait for a name in this process share one
// place in the line of all processes, and a hint that comes to it goes to one of them, in
// turn. Also a lease that ran out gives a hint.
func (s *Store) Watch(ctx context.Context, name string) (<-chan struct{}, error) {
	if err := fence.CheckName(name); err != nil {
		return nil, err
	}
	if r := s.left(ctx); r.kind != nil {
		return nil, r.fault()
	}
	hint := make(chan struct{}, 1)
	l := s.hub.join(s, name, hint)
	if l == nil {
		return nil, s.left(ctx).fault()
	}
	context.AfterFunc(ctx, func() { s.hub.leave(l, hint) })
	select {
	case <-l.begun:
		if l.err == nil {
			return hint, nil
		}
		return nil, before(judge(l.err)).fault()
	case <-ctx.Done():
	case <-s.ctx.Done():
	}
	return nil, s.left(ctx).fault()
}

// hub knows all that wait in this process.
type hub struct {
	mu    sync.Mutex
	lines map[string]*line
}

// join adds a waiter to the line for a name, and goes to its end with the first one.
func (h *hub) join(s *Store, name string, hint chan struct{}) *line {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.lines[name]
	if l == nil {
		ctx, cancel := context.WithCancel(s.ctx)
		l = newLine(s, name, cancel)
		if !s.spawn(func() { l.stand(ctx) }) {
			cancel()
			return nil
		}
		h.lines[name] = l
	}
	l.waiting = append(l.waiting, hint)
	return l
}

// leave removes a waiter. A hint that it has not taken goes to the next one. Where it
// has taken the last one, it has got the name, or wants it no more.
func (h *hub) leave(l *line, hint chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.Index(l.waiting, hint)
	if i < 0 {
		return
	}
	l.waiting = slices.Delete(l.waiting, i, i+1)
	if len(l.waiting) == 0 {
		h.close(l)
		return
	}
	select {
	case <-hint:
		l.wake()
	default:
		if l.hinted == hint {
			l.hinted = nil
			l.serve()
		}
	}
}

// close ends the waiting of a whole line. h.mu is locked.
func (h *hub) close(l *line) {
	l.cancel()
	if h.lines[l.name] == l {
		delete(h.lines, l.name)
	}
}

// hint tells one waiter of l that the name may be free.
func (h *hub) hint(l *line) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l.wake()
}

// first is the line for name if this process is first in it and a waiter here, who was
// told of that, is about to get the name; and what the step of the grant has to do for it.
// Where others may wait, the place goes in that very step, so that the next process knows
// that it is first before the name is free again. Last of all the line is counted.
func (h *hub) first(name string) (*line, []clientv3.Op) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.lines[name]
	switch {
	case l == nil || l.hinted == nil:
		return nil, nil
	case l.alone && len(l.waiting) > 1:
		return l, []clientv3.Op{l.store.keys.waiting(name)}
	}
	return l, []clientv3.Op{l.remove(), l.store.keys.waiting(name)}
}

// passed takes note of a grant that has done what first asked for. It may be called for no
// line, with any answers.
func (h *hub) passed(l *line, revision int64, answers []*etcdserverpb.ResponseOp) {
	if l == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	count := answers[len(answers)-1].GetResponseRange().Count
	removed := answers[len(answers)-2].GetResponseDeleteRange() != nil
	l.hinted = nil
	if removed {
		l.passedAt = revision
		count++
	}
	l.alone = count <= 1
	if len(l.waiting) > 1 && (removed || !l.alone) {
		l.serve()
	}
}

// hasPassed reports whether the place of l went with a grant after this revision.
func (h *hub) hasPassed(l *line, after int64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return l.passedAt > after
}

// serve has the line see to its place. hub.mu is locked.
func (l *line) serve() {
	select {
	case l.served <- struct{}{}:
	default: // it is about to
	}
}

// told reports whether a waiter here was told that the name may be free.
func (h *hub) told(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.lines[name]
	return l != nil && l.hinted != nil
}

// others reports whether this process knows of others who wait for a name.
func (h *hub) others(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.lines[name]
	return l != nil && (!l.alone || len(l.waiting) > 1)
}

// wake gives a hint to the first waiter that has none, and puts it last. It is likely to
// get the name, and so need not look first. hub.mu is locked.
func (l *line) wake() {
	for i, hint := range l.waiting {
		select {
		case hint <- struct{}{}:
			l.waiting = append(slices.Delete(l.waiting, i, i+1), hint)
			l.hinted = hint
			l.store.refused.note(l.name, false)
			return
		default:
		}
	}
}

// begin lets the watches of a line begin.
func (h *hub) begin(l *line) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !l.hasBegun() {
		close(l.begun)
	}
}

// refuse fails the watches of a line that has not begun, and reports whether it had not.
func (h *hub) refuse(l *line, err error) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l.hasBegun() {
		return false
	}
	l.err = err
	close(l.begun)
	h.close(l)
	return true
}

// hasBegun reports whether the watches of a line have begun, or failed to.
func (l *line) hasBegun() bool {
	select {
	case <-l.begun:
		return true
	default:
		return false
	}
}
