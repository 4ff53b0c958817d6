package pgxstore

import (
	"slices"
	"testing"
	"time"
)

// TestAListenerPassesTheLastHintOn: one that nobody in this process needs any more stays
// until it has told another process of the name that is free.
func TestAListenerPassesTheLastHintOn(t *testing.T) {
	t.Parallel()
	h := newHub(nil, nil, nil)
	w := &waiter{name: "report", place: 7, hints: make(chan struct{}, 1), begun: make(chan struct{})}
	h.waiting = []*waiter{w}
	l := &listener{hub: h}
	h.hint("report", 7)
	h.leave(w)
	if l.idle() {
		t.Error("idle with a hint to pass on")
	}
	_, todo, _ := h.work(time.Now())
	if !slices.Equal(todo.pass, []string{"report"}) || !l.idle() {
		t.Errorf("it passes on %q and is idle: %t; want the name, and then nothing to do", todo.pass, l.idle())
	}
}
