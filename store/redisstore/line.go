package redisstore

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Wait implements driver.Queue. It is a step like those of terms, and goes together
// with others of its kind.
func (s *Store) Wait(ctx context.Context, r driver.Request, keep time.Duration) (driver.Place, error) {
	return s.wait(ctx, driver.Waiting{Request: r, Keep: keep}, nil)
}

// WaitAll implements driver.BatchQueue.
func (s *Store) WaitAll(ctx context.Context, all []driver.Waiting) []driver.Placed {
	done := make([]driver.Placed, len(all))
	s.together(len(all), func(i int) *call {
		if all[i].Request.CheckWait(s.props, all[i].Keep) != nil {
			return nil
		}
		return &call{script: standing, key: s.lease(all[i].Request.Name), args: s.place(all[i])}
	}, func(i int, joined *call) { done[i].Place, done[i].Err = s.wait(ctx, all[i], joined) })
	return done
}

func (s *Store) place(w driver.Waiting) []any {
	r := w.Request
	how := fmt.Sprint(milliseconds(s.props.RoundTTL(w.Keep)), " ", milliseconds(driver.MaxKeep), " ", driver.MaxWaiters, " ",
		s.hub.listener(turn{r.Name, r.Attempt}))
	return []any{"wait", r.Name, r.Attempt, r.Holder, how}
}

// wait gets a place, or keeps it. joined is the first try, where that is under way.
func (s *Store) wait(ctx context.Context, w driver.Waiting, joined *call) (driver.Place, error) {
	r := w.Request
	if err := r.CheckWait(s.props, w.Keep); err != nil {
		return driver.Place{}, err
	}
	got, failed := s.tries(ctx, joined, call{script: standing, key: s.lease(r.Name), args: s.place(w)})
	if failed != nil {
		return driver.Place{}, failed.fault("")
	}
	v := got.words(3)
	place := driver.Place{Ahead: int(v.number(1)), Waited: v.milliseconds(2)}
	switch {
	case v.err != nil:
		return driver.Place{}, v.err.fault("")
	case v.text[0] == "full":
		return driver.Place{}, &driver.FullError{Name: r.Name}
	}
	return place, nil
}

// Leave implements driver.Queue.
func (s *Store) Leave(ctx context.Context, name, attempt string) error {
	if err := driver.CheckPlace(name, attempt); err != nil {
		return err
	}
	if _, err := s.do(ctx, name, standing, "leave", name, attempt, "", ""); err != nil {
		return err.fault("")
	}
	return nil
}

// Waiters implements driver.Queue.
func (s *Store) Waiters(ctx context.Context, name string, limit int) ([]driver.Waiter, error) {
	if err := driver.CheckWaiters(name, limit); err != nil {
		return nil, err
	}
	var all []driver.Waiter
	for after := "0"; after != "" && len(all) < limit; {
		got, r := s.do(ctx, name, waiters, name, after, strconv.Itoa(min(limit-len(all), maxPage)))
		var w words
		if r == nil {
			after, w = got.page()
			r = w.err
		}
		for i := 0; r == nil && i+3 < len(w.text); i += 4 {
			all = append(all, driver.Waiter{Holder: w.text[i], Since: w.moment(i + 1), Waited: w.milliseconds(i + 2), Left: w.milliseconds(i + 3)})
			r = w.err
		}
		if r != nil {
			return nil, before(*r).fault(s.about("list who waits for " + fence.Quote(name)))
		}
	}
	return all, nil
}

// WatchTurn implements driver.TurnWatcher. A hint goes to the process that listens for
// the first in line, by its channel. An attempt without a place gets the hints of Watch.
func (s *Store) WatchTurn(ctx context.Context, name, attempt string) (<-chan struct{}, error) {
	if err := driver.CheckPlace(name, attempt); err != nil {
		return nil, err
	}
	hints, err := s.hub.watchTurn(ctx, turn{name, attempt})
	if err != nil {
		return nil, before(judge(err)).fault(s.about("watch " + fence.Quote(name)))
	}
	return hints, nil
}

// turn is an attempt in the line for a name.
type turn struct{ name, attempt string }

func (h *hub) watchTurn(ctx context.Context, t turn) (<-chan struct{}, error) {
	hints, err := h.listenFor(t)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { h.stop(t, hints) })
	placed, err := h.announce(ctx, t)
	if err == nil && placed {
		return hints, nil
	}
	if stop() {
		h.stop(t, hints)
	}
	if err != nil {
		return nil, err
	}
	return h.watch(ctx, t.name)
}

// listener is this process as the scripts take it, where it listens for a turn: a place
// that was lost, and is got anew, doesn't know of it.
func (h *hub) listener(t turn) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.turns[t]) > 0 {
		return h.id
	}
	return "-"
}

// listenFor notes that somebody here listens for a turn.
func (h *hub) listenFor(t turn) (chan struct{}, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errClosed
	}
	h.subscribe()
	hints := make(chan struct{}, 1)
	h.turns[t] = append(h.turns[t], hints)
	return hints, nil
}

// announce tells the server that this process listens for a turn, and reports whether
// that attempt has a place.
func (h *hub) announce(ctx context.Context, t turn) (placed bool, _ error) {
	select {
	case <-h.heard: // who is told must listen
	case <-ctx.Done():
		return false, left(ctx, false, nil)
	case <-h.ctx.Done():
		return false, errClosed
	}
	got, r := h.store.do(ctx, t.name, turning, h.id, t.name, t.attempt, "listen")
	if r != nil {
		return false, *r
	}
	return got.verdict() == "placed", nil
}

// stop ends a watch for a turn. A hint that it has not taken goes to the next.
func (h *hub) stop(t turn, hints chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	rest := slices.DeleteFunc(h.turns[t], func(c chan struct{}) bool { return c == hints })
	if h.turns[t] = rest; len(rest) == 0 {
		delete(h.turns, t)
	}
	if len(hints) > 0 {
		h.callTurn(t)
	}
}

// callTurn gives a hint to who listens for a turn; where nobody does the server tells
// the next one, as long as the name is free. h.mu is locked.
func (h *hub) callTurn(t turn) {
	for _, hints := range h.turns[t] {
		select {
		case hints <- struct{}{}:
			return
		default:
		}
	}
	if len(h.turns[t]) > 0 || h.closed {
		return
	}
	h.all.Go(func() { // where that fails, the next one asks by itself
		_, _ = h.store.do(h.ctx, t.name, turning, h.id, t.name, t.attempt, "pass")
	})
}
