package ringfence

import (
	"context"
	"errors"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

const (
	// unhintedPause is the longest pause of the first in line where no hint ends it.
	unhintedPause = maxPause / 10
	// pollers is how many at the head of a line ask in turn where no hints are given.
	pollers = 5
	// farPause is how often those far behind ask: to show whom they wait for. What tells
	// them that they came nearer is the keeping of their places.
	farPause = time.Minute
)

// line is a waiter's place in the line for a name, where the store keeps one. It only
// decides who is served first: without it whoever asks at the right moment gets the name.
type line struct {
	l    *Locker
	req  driver.Request // whose attempt may have a place; the zero Request where none has
	turn chan struct{}  // tells that the place came near, or is another

	// The rest is guarded by places.mu.
	held   bool          // it is kept by places
	ahead  int           // the waiters before it
	waited time.Duration // since it got the place
	asked  chan struct{} // closed when what was last said of the place is answered; nil before
}

func (l *Locker) line() *line { return &line{l: l, turn: make(chan struct{}, 1)} }

// keep gets the attempt that stands in line a place, if it has none; from then on it is kept. It reports
// whether the place is new: the name may have become free before. It fails where no place
// is to be had; any other trouble is left to the next time.
func (n *line) keep(ctx context.Context, stands *driver.Request, left time.Duration) (joined bool, err error) {
	p := n.l.places
	if p.queue == nil || stands == nil {
		return false, nil
	}
	r := *stands
	if p.has(n) && n.req.Attempt == r.Attempt {
		return false, nil
	}
	if n.req.Attempt != r.Attempt {
		n.leave() // the place of an attempt that was granted, and is over
	}
	n.req = r
	ctx, cancel := context.WithTimeout(ctx, min(n.l.opts.RequestTimeout, left))
	defer cancel()
	place, err := p.queue.Wait(ctx, r, placeKept)
	switch {
	case errors.Is(err, errors.ErrUnsupported): // the store behind another keeps no lines
		n.req = driver.Request{}
	case errors.Is(err, ErrFull):
		return false, err
	case err == nil:
		p.add(n, place)
	}
	return err == nil, nil
}

// served notes that the place is gone, with the grant. What was said of the place in the
// meantime may have brought it back.
func (n *line) served() {
	stood := n.l.places.has(n)
	asked := n.l.places.drop(n)
	r := n.req
	n.req = driver.Request{}
	if stood {
		n.l.places.advance(r.Name)
	}
	if asked != nil {
		n.l.reclaim.Go(func() { n.l.places.leave(r, asked) })
	}
}

// leave gives up the place, and calls then, in the background: a store that is slow or
// down keeps nobody from going, and the place lapses by itself.
func (n *line) leave(then ...func()) {
	asked := n.l.places.drop(n)
	r := n.req
	n.req = driver.Request{}
	if r.Attempt == "" {
		for _, f := range then {
			f()
		}
		return
	}
	n.l.reclaim.Go(func() {
		n.l.places.leave(r, asked)
		for _, f := range then {
			f()
		}
	})
}

// pause is how long to rest after err, where without a line it would be d. Whoever is
// first asks as soon as the lease has run out. Where no hints come the next few ask half
// as often as the one before each; all others wait to be told that they came near.
func (n *line) pause(err error, d time.Duration, hinted bool) time.Duration {
	held, ok := errors.AsType[*HeldError](err)
	if !ok || !n.l.places.has(n) {
		return nextTry(err, d)
	}
	ahead := n.l.places.ahead(n)
	switch {
	case ahead == 0 && hinted:
		return nextTry(err, d)
	case ahead == 0:
		return nextTry(err, min(d, unhintedPause))
	case held.Kept && ahead == 1: // the place of the one before it may lapse
		return nextTry(err, n.behind(ahead, hinted))
	}
	return jitter(n.behind(ahead, hinted))
}

// behind is the longest pause of a waiter with others before it.
func (n *line) behind(ahead int, hinted bool) time.Duration {
	if hinted || ahead >= pollers {
		return farPause
	}
	return unhintedPause << ahead
}
