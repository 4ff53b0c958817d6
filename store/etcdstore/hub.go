package etcdstore

import (
	"context"
	"slices"
	"sync"
)

// hub knows all that listen in this process.
type hub struct {
	mu    sync.Mutex
	lines map[watched]*line
}

// join adds a listener, and begins to listen with the first one.
func (h *hub) join(s *Store, of watched, w *listener) *line {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.lines[of]
	if l == nil {
		ctx, cancel := context.WithCancel(s.ctx)
		l = &line{store: s, of: of, cancel: cancel, changed: make(chan struct{}, 1), begun: make(chan struct{})}
		if !s.spawn(func() { l.listen(ctx) }) {
			cancel()
			return nil
		}
		h.lines[of] = l
	}
	l.waiting = append(l.waiting, w)
	if first := l.watches; of.turns && (w.mod == 0 || first == nil || w.mod < first.mod) {
		l.change()
	}
	return l
}

// leave removes a listener. A hint that it has not taken goes to the next one.
func (h *hub) leave(l *line, w *listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.Index(l.waiting, w)
	if i < 0 {
		return
	}
	l.waiting = slices.Delete(l.waiting, i, i+1)
	if len(l.waiting) == 0 {
		h.close(l)
		return
	}
	switch {
	case l.watches == w:
		l.watches = nil
		l.change()
	case len(w.hint) > 0 && !l.of.turns:
		l.wake()
	}
}

// close ends a whole line. h.mu is locked.
func (h *hub) close(l *line) {
	l.cancel()
	if h.lines[l.of] == l {
		delete(h.lines, l.of)
	}
}

// change has a line look again. hub.mu is locked.
func (l *line) change() {
	select {
	case l.changed <- struct{}{}:
	default: // it is about to
	}
}

// moved says that an attempt has got another place than before, or has none any more.
func (h *hub) moved(name, attempt string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.lines[watched{name, true}]
	if l == nil {
		return
	}
	if w := l.find(attempt); w != nil {
		w.mod, w.told = 0, false
		l.change()
	}
}

// find returns the listener of an attempt, or nil. hub.mu is locked.
func (l *line) find(attempt string) *listener {
	for _, w := range l.waiting {
		if w.attempt == attempt {
			return w
		}
	}
	return nil
}

// unknown are those of whose places nothing is known.
func (h *hub) unknown(l *line) []*listener {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []*listener
	for _, w := range l.waiting {
		if w.attempt == "" || w.mod != 0 {
			continue
		}
		if w.mod = l.store.places.mod(l.of.name, w.attempt); w.mod == 0 {
			all = append(all, w)
		}
	}
	return all
}

// found says which revision made a listener's place; 0 where it has none.
func (h *hub) found(w *listener, mod int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w.mod = mod
}

// foremost chooses who watches for a line: whoever stands before the others.
func (h *hub) foremost(l *line) (*listener, int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l.watches = nil
	for _, w := range l.waiting {
		if w.mod != 0 && (l.watches == nil || w.mod < l.watches.mod) {
			l.watches = w
		}
	}
	if l.watches == nil {
		return nil, 0
	}
	return l.watches, l.watches.mod
}

// hint tells that the name may be free: the one whose turn it is, or where it is nobody's
// the next in turn.
func (h *hub) hint(l *line) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := l.watches
	switch {
	case !l.of.turns:
		l.wake()
		return
	case w == nil:
		return
	}
	w.told = true
	select {
	case w.hint <- struct{}{}:
	default: // it has one already
	}
}

// wake gives a hint to the first listener that has none, and puts it last. hub.mu is locked.
func (l *line) wake() {
	for i, w := range l.waiting {
		select {
		case w.hint <- struct{}{}:
			l.waiting = append(slices.Delete(l.waiting, i, i+1), w)
			l.store.refused.note(l.of.name, false) // it is likely to get the name, and so need not look first
			return
		default:
		}
	}
}

// turn reports whether an attempt was told of its turn, and has not asked since.
func (h *hub) turn(name, attempt string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.lines[watched{name, true}]
	if l == nil {
		return false
	}
	w := l.find(attempt)
	if w == nil || !w.told {
		return false
	}
	w.told = false
	return true
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
