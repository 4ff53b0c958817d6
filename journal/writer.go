package journal

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

const (
	maxBatch = 1024 // events in one write

	quick = 4 // the part of Linger that an event waits which comes when none came for long

	// prunesEvery is how many events are written between two clean-ups, on average
	// over all processes. A clean-up counts what is there.
	prunesEvery = 8192

	firstPause, maxPause = 50 * time.Millisecond, 5 * time.Second // after a failed write
)

// Flush returns when everything that was recorded before is in the journal, or with
// the error that keeps it from there.
func (r *Recorder) Flush(ctx context.Context) error {
	if r == nil {
		return nil
	}
	written := make(chan error, 1)
	r.mu.Lock()
	if r.closed || len(r.waiting) == 0 && r.gap.Lost == 0 {
		r.mu.Unlock()
		return nil
	}
	r.flushed = append(r.flushed, written)
	r.mu.Unlock()
	signal(r.wake)
	signal(r.full)
	select {
	case err := <-written:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close writes what is left, until ctx ends, and ends the recorder. The error tells
// what was lost and why.
func (r *Recorder) Close(ctx context.Context) error {
	if r == nil {
		return nil
	}
	err := r.Flush(ctx)
	for errors.Is(err, driver.ErrUnavailable) || errors.Is(err, driver.ErrUnknown) {
		select {
		case <-time.After(firstPause):
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		err = r.Flush(ctx)
	}
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.end()
	<-r.done
	r.mu.Lock()
	defer r.mu.Unlock()
	left := len(r.waiting)
	r.lost += uint64(left)
	r.waiting = nil
	if err != nil && left+r.gap.Lost > 0 {
		return fmt.Errorf("%d events were not recorded: %w", left+r.gap.Lost, err)
	}
	return nil
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// run writes what there is, until the end.
func (r *Recorder) run() {
	defer close(r.done)
	pause, last := firstPause, time.Time{} // of the last write
	for {
		select {
		case <-r.wake:
		case <-r.stop.Done():
			return
		}
		r.rest(max(r.opts.Linger/quick, r.opts.Linger-time.Since(last)))
		if r.stop.Err() != nil { // whoever closed it has given up on what is left
			return
		}
		err := r.writeAll()
		last = time.Now()
		if err == nil {
			pause = firstPause
			continue
		}
		r.rest(pause)
		pause = min(2*pause, maxPause)
		signal(r.wake)
	}
}

// rest waits for d, or until a batch is full or somebody waits.
func (r *Recorder) rest(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-r.full:
	case <-r.stop.Done():
	}
}

// writeAll writes batch by batch, and tells those who wait for it. What comes
// meanwhile lingers, or else there would be a write for every few events.
func (r *Recorder) writeAll() error {
	for {
		batch, waiting, missing := r.next()
		if len(batch) == 0 {
			tell(waiting, nil)
			return nil
		}
		err := r.write(batch)
		r.mu.Lock()
		if err == nil {
			r.waiting = slices.Delete(r.waiting, 0, len(batch)-missing)
		}
		told := waiting
		if err == nil && len(r.waiting) > 0 { // what they wait for may be among the rest
			r.flushed, told = append(waiting, r.flushed...), nil
		}
		urgent := len(r.flushed) > 0 || len(r.waiting) >= maxBatch
		r.mu.Unlock()
		tell(told, err)
		if err != nil {
			r.giveBack(batch[len(batch)-missing:])
			r.opts.OnError(err)
			return err
		}
		r.prune(len(batch))
		if !urgent {
			r.linger()
			return nil
		}
	}
}

// linger leaves what waits for the next time.
func (r *Recorder) linger() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) > 0 || len(r.flushed) > 0 || r.gap.Lost > 0 {
		signal(r.wake)
	}
}

func tell(waiting []chan error, err error) {
	for _, w := range waiting {
		w <- err
	}
}

// next is what to write now, the gap behind everything that was kept before it, and
// how many of it are that gap.
func (r *Recorder) next() (batch []Event, waiting []chan error, missing int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	batch = append(r.batch[:0], r.waiting[:min(len(r.waiting), maxBatch)]...)
	if r.gap.Lost > 0 && len(batch) == len(r.waiting) {
		r.gap.ID = r.id()
		batch, missing = append(batch, r.gap), 1
		r.gap = Event{}
	}
	r.batch = batch
	waiting, r.flushed = r.flushed, nil
	return batch, waiting, missing
}

// giveBack keeps a gap that was not written for the next time.
func (r *Recorder) giveBack(gap []Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range gap {
		if r.gap.Lost > 0 {
			g.Until, g.Lost = r.gap.Until, g.Lost+r.gap.Lost
			if g.Name != r.gap.Name {
				g.Name = ""
			}
		}
		r.gap = g
	}
}

func (r *Recorder) write(batch []Event) error {
	ctx, cancel := context.WithTimeout(r.stop, r.opts.Timeout)
	defer cancel()
	return r.journal.Append(ctx, batch)
}

// prune keeps the journal within its bounds, so rarely that it costs nearly nothing.
func (r *Recorder) prune(written int) {
	if rand.N(prunesEvery) >= written {
		return
	}
	ctx, cancel := context.WithTimeout(r.stop, r.opts.Timeout)
	defer cancel()
	if _, err := r.journal.Prune(ctx, r.opts.Keep); err != nil && r.stop.Err() == nil {
		r.opts.OnError(err)
	}
}
