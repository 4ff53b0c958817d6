package ringfence

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// watch listens for hints that a name may be free, where the store gives any. It
// only shortens pauses: without it, or when it fails, a waiter asks as often as it
// would anyway.
type watch struct {
	l      *Locker
	name   string
	oneOf  bool            // there are others that may be free, and of which no hint tells
	ctx    context.Context // of the waiter
	end    context.CancelFunc
	begun  bool
	hints  <-chan struct{} // nil for ever where there are none
	within context.Context // how long the store listens
}

func (l *Locker) watch(ctx context.Context, name string) *watch {
	w := &watch{l: l, name: name, ctx: ctx}
	w.within, w.end = context.WithCancel(context.WithoutCancel(ctx)) // it ends after the waiter has left the line
	return w
}

// watchOneOf listens for one of several names, any of which would do: others who wait
// listen for others of them.
func (l *Locker) watchOneOf(ctx context.Context, names []string) *watch {
	w := l.watch(ctx, names[rand.N(len(names))])
	w.oneOf = len(names) > 1
	return w
}

// noWatch is for a waiter that listens elsewhere.
func (l *Locker) noWatch(ctx context.Context) *watch {
	w := l.watch(ctx, "")
	w.begun = true
	return w
}

// begin reports whether hints come from now on, and did not before. It waits no
// longer for the store than a pause would last. attempt is what stands in line, or empty.
func (w *watch) begin(left time.Duration, attempt string) bool {
	store, ok := w.l.store.(driver.Watcher)
	if !ok || w.begun {
		return false
	}
	w.begun = true
	patience := time.AfterFunc(min(w.l.opts.RequestTimeout, maxPause, left), w.end)
	goes := context.AfterFunc(w.ctx, w.end)
	hints, err := w.listen(store, attempt)
	goes()
	if err != nil || !patience.Stop() {
		return false
	}
	w.hints = hints
	return true
}

// listen begins to wait for hints: for those of the attempt's turn, where the store can
// tell and the attempt has a place in line.
func (w *watch) listen(store driver.Watcher, attempt string) (<-chan struct{}, error) {
	if turns, ok := store.(driver.TurnWatcher); ok && attempt != "" {
		return turns.WatchTurn(w.within, w.name, attempt)
	}
	return store.Watch(w.within, w.name)
}

// shortestPause is what the pauses of the waiter begin with: whoever is told need not
// ask to find out.
func (w *watch) shortestPause() time.Duration {
	if w.hints != nil && !w.oneOf {
		return maxPause
	}
	return firstPause
}

// longestPause is what the pauses of the waiter may grow to.
func (w *watch) longestPause() time.Duration {
	if w.hints != nil && !w.oneOf {
		return watchedPause
	}
	return maxPause
}

// rest waits for d, for a hint or for what turn tells, and reports whether the waiter's
// context lasts.
func (w *watch) rest(d time.Duration, turn <-chan struct{}) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-w.hints:
		return true
	case <-turn:
		return true
	case <-w.ctx.Done():
		return false
	}
}
