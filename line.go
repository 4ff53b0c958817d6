package ringfence

import (
	"context"
	"errors"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

const (
	// placeKept is how long a place in line lasts without a word of its owner: what one
	// that has vanished costs those behind it, however long any lease is.
	placeKept = 15 * time.Second
	// placeAgain is how often a waiter says that it lives.
	placeAgain = 5 * time.Second
	// unhintedPause is the longest pause of the first in line where no hint ends it.
	unhintedPause = maxPause / 4
)

// line is a waiter's place in the line for a name, where the store keeps one. It only
// decides who is served first: without it whoever asks at the right moment gets the name.
type line struct {
	l       *Locker
	queue   driver.Queue // nil where there are no lines
	name    string
	attempt string  // that may have a place; empty where there is none
	told    instant // before the store was told last that the waiter lives
}

func (l *Locker) line(name string) *line {
	queue, _ := l.store.(driver.Queue)
	return &line{l: l, queue: queue, name: name}
}

// keep gets the attempt a place, or tells from time to time that its owner lives. It
// reports whether the place is new: the name may have become free before. It fails
// where no place is to be had; any other trouble is left to the next time.
func (n *line) keep(ctx context.Context, r driver.Request, left time.Duration) (joined bool, err error) {
	if n.queue == nil {
		return false, nil
	}
	has := n.attempt == r.Attempt && !n.told.at.IsZero()
	if has && n.l.now().elapsed(n.told) < placeAgain-unhintedPause {
		return false, nil
	}
	if n.attempt != r.Attempt {
		n.leave() // the place of an attempt that was granted, and is over
	}
	n.attempt = r.Attempt
	told := n.l.now()
	ctx, cancel := context.WithTimeout(ctx, min(n.l.opts.RequestTimeout, left))
	defer cancel()
	_, err = n.queue.Wait(ctx, r, placeKept)
	switch {
	case errors.Is(err, errors.ErrUnsupported): // the store behind another keeps no lines
		*n = line{l: n.l, name: n.name}
	case errors.Is(err, ErrFull):
		return false, err
	case err == nil:
		n.told = told
	}
	return err == nil && !has, nil
}

// served notes that the place is gone, with the grant.
func (n *line) served() { n.attempt = "" }

// leave gives up the place, and calls then, in the background: a store that is slow or
// down keeps nobody from going, and the place lapses by itself.
func (n *line) leave(then ...func()) {
	attempt := n.attempt
	n.attempt, n.told = "", instant{}
	if attempt == "" {
		for _, f := range then {
			f()
		}
		return
	}
	n.l.reclaim.Go(func() {
		for _, f := range then {
			defer f()
		}
		for try := range maxTries {
			if try > 0 && !sleep(n.l.ctx.Done(), jitter(firstPause<<try)) || n.left(attempt) {
				return
			}
		}
	})
}

func (n *line) left(attempt string) bool {
	ctx, cancel := context.WithTimeout(n.l.ctx, n.l.opts.RequestTimeout)
	defer cancel()
	err := n.queue.Leave(ctx, n.name, attempt)
	return !errors.Is(err, ErrUnavailable) && !errors.Is(err, ErrUnknown)
}

// pause is how long to rest after err, where without a line it would be d. Whoever is
// first asks as soon as the lease has run out; each of the others pauses for twice as long
// as the one before it, so that many who wait ask little more often than a few.
func (n *line) pause(err error, d time.Duration, hinted bool) time.Duration {
	held, ok := errors.AsType[*HeldError](err)
	if n.queue == nil || !ok {
		return nextTry(err, d)
	}
	longest := unhintedPause
	if hinted {
		longest = maxPause
	}
	for range min(held.Ahead, 5) {
		longest *= 2
	}
	d = min(d, longest, placeAgain)
	if held.Ahead > 0 {
		return jitter(d)
	}
	return nextTry(err, d)
}
