package pgxstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"slices"
	"strings"
	"sync"
	"time"
)

// hub knows all that wait in this process. One listener at a time stands in line for
// them at the server, while there are any.
type hub struct {
	dialer  *dialer
	db      *sql.DB
	settle  func(context.Context) error
	channel string // of the server's notifications; no other process has it

	ctx    context.Context // until close
	cancel context.CancelFunc
	all    sync.WaitGroup

	mu        sync.Mutex
	closed    bool
	listening bool
	waiting   []*waiter // in the order in which they came
	todo      todo
	interrupt context.CancelFunc // of the listener's pause
	deafUntil time.Time          // no notification arrives, and it is too early to see again
}

// waiter is one watch. All but its channels is guarded by hub.mu.
type waiter struct {
	name    string
	attempt string // that has a place in line; or empty
	hints   chan struct{}
	begun   chan struct{} // closed when hints come, or when they never will
	err     error         // why they never will

	joining bool  // on its way into the line
	place   int64 // in the line of its name; 0 before it is in it
}

// todo is what the listener has to tell the server.
type todo struct {
	names  []string // of the places to give up
	places []int64
	pass   []string // the names whose hint found nobody
}

func newHub(d *dialer, db *sql.DB, settle func(context.Context) error) *hub {
	h := &hub{dialer: d, db: db, settle: settle, channel: "ringfence_" + strings.ToLower(rand.Text())}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h
}

func (h *hub) watch(ctx context.Context, name, attempt string) (<-chan struct{}, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w := &waiter{name: name, attempt: attempt, hints: make(chan struct{}, 1), begun: make(chan struct{})}
	if err := h.join(w); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { h.leave(w) })
	select {
	case <-w.begun:
		if w.err != nil {
			stop()
			return nil, w.err
		}
		return w.hints, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-h.ctx.Done():
		return nil, errClosed
	}
}

func (h *hub) join(w *waiter) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return errClosed
	}
	if time.Now().Before(h.deafUntil) {
		return errDeaf
	}
	h.waiting = append(h.waiting, w)
	if !h.listening {
		h.listening = true
		h.all.Go(h.listen)
	}
	h.nudge()
	return nil
}

// nudge ends the listener's pause. h.mu is locked.
func (h *hub) nudge() {
	if h.interrupt != nil {
		h.interrupt()
	}
}

// leave ends a watch. A hint that it has not taken goes to the next in line.
func (h *hub) leave(w *waiter) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.Index(h.waiting, w)
	if i < 0 {
		return
	}
	h.waiting = slices.Delete(h.waiting, i, i+1)
	if w.place != 0 {
		h.todo.giveUp(w.name, w.place)
	}
	select {
	case <-w.hints:
		h.todo.pass = append(h.todo.pass, w.name)
	default:
	}
	h.nudge()
}

func (t *todo) giveUp(name string, place int64) {
	t.names, t.places = append(t.names, name), append(t.places, place)
}

// hint gives one to whoever has the place. If that one has gone, the next in line
// gets it.
func (h *hub) hint(name string, place int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.waiting, func(w *waiter) bool { return w.place == place && w.name == name })
	if i < 0 {
		h.todo.giveUp(name, place)
		h.todo.pass = append(h.todo.pass, name)
		return
	}
	h.waiting[i].wake()
}

func (w *waiter) wake() {
	select {
	case w.hints <- struct{}{}:
	default: // it has one already
	}
}

// work takes what there is to do, who is to stand in line, and a context for the pause
// after that: it ends with the next thing to do, or at the time given.
func (h *hub) work(until time.Time) (pause context.Context, t todo, joining []*waiter) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.nudge() // the pause before is over
	pause, h.interrupt = context.WithDeadline(h.ctx, until)
	t, h.todo = h.todo, todo{}
	for _, w := range h.waiting {
		if w.place == 0 && !w.joining {
			w.joining = true
			joining = append(joining, w)
		}
	}
	return pause, t, joining
}

// placed notes the place of a waiter that was joining.
func (h *hub) placed(w *waiter, place int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w.joining, w.place = false, place
	if !slices.Contains(h.waiting, w) {
		h.todo.giveUp(w.name, place)
		h.nudge()
	}
}

// begin lets the watches of those in line begin. Where some had begun before the
// connection was lost, a hint may have been, so one that waits for each name gets one.
func (h *hub) begin(inLine []*waiter) {
	h.mu.Lock()
	defer h.mu.Unlock()
	hinted := map[string]bool{}
	for _, w := range inLine {
		if !w.hasBegun() {
			close(w.begun)
		} else if slices.Contains(h.waiting, w) && !hinted[w.name] {
			hinted[w.name] = true
			w.wake()
		}
	}
}

func (w *waiter) hasBegun() bool {
	select {
	case <-w.begun:
		return true
	default:
		return false
	}
}

// refuse ends the watches that have not begun: they can't now.
func (h *hub) refuse(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		err = errClosed
	}
	h.waiting = slices.DeleteFunc(h.waiting, func(w *waiter) bool {
		if w.hasBegun() {
			return false
		}
		if w.place != 0 {
			h.todo.giveUp(w.name, w.place)
		}
		w.err = err
		close(w.begun)
		return true
	})
	if err == errDeaf {
		h.deafUntil = time.Now().Add(time.Minute)
	}
}

// lineIsLost takes all out of the line: the server has forgotten it, or can't reach us.
func (h *hub) lineIsLost() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.todo = todo{}
	for _, w := range h.waiting {
		w.place, w.joining = 0, false
	}
}

// retire ends the listening where nobody waits.
func (h *hub) retire() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.waiting) > 0 && !h.closed {
		return false
	}
	h.listening = false
	return true
}

func (h *hub) close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.cancel()
	h.all.Wait()
}
