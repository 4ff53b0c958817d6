package election

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// ObserveOptions change how an election is observed. Nil means the defaults.
type ObserveOptions struct {
	// Interval is how often the store is asked. Defaults to a second.
	Interval time.Duration
}

// Change is a change of leader: one was elected, with which the term before is over, or
// there is none any more.
type Change struct {
	// State is driver.Held when the leader of Fence was elected. Otherwise that leader's
	// term is over, and it says how; driver.Free is when the store has forgotten it.
	State driver.State
	Fence fence.Fence
	// Holder is the leader's label.
	Holder string
	// At is when the leader was elected, on the store's clock. For an end it is not known,
	// and zero.
	At time.Time
	// Unseen is the time within which other terms may have begun and ended with nobody
	// looking: from the last look before this term to its grant. It is 0 where no token
	// lies between the two, so that there was none, and in the first change that is told.
	Unseen time.Duration
}

// Leads reports whether the change is that a leader was elected.
func (c Change) Leads() bool { return c.State == driver.Held }

func (c Change) String() string {
	if c.Leads() {
		return fmt.Sprintf("%s leads with token %s", fence.Quote(c.Holder), c.Fence.Token)
	}
	return fmt.Sprintf("nobody leads: the term with token %s is %s", c.Fence.Token, c.State)
}

// Observe tells every change of leader that it sees, in the order of their tokens, from
// the state at the beginning on, until ctx ends or the loop over it does. Where nobody has
// ever led, the first change is the first election.
//
// It looks from time to time. A term that began and ended between two looks is told by its
// end if it was the last one, and missed if it was not: Change.Unseen says how long that
// can have been.
//
// When the store can't be asked, the loop gets the error, once for each outage, and goes
// on. An error that will not mend by itself ends it.
//
// A change says who has led when the store was asked. It proves nothing about now: for
// that there is the fence.
func Observe(ctx context.Context, l *ringfence.Locker, name string, o *ObserveOptions) iter.Seq2[Change, error] {
	w := &observer{l: l, name: name, interval: time.Second}
	if o != nil && o.Interval != 0 {
		w.interval = o.Interval
	}
	return func(yield func(Change, error) bool) {
		if w.interval < 0 {
			yield(Change{}, fmt.Errorf("%w ObserveOptions.Interval %s: want a positive duration", fence.ErrInvalid, w.interval))
			return
		}
		seen := *w // each loop begins anew
		seen.run(ctx, yield)
	}
}

// observer is what one loop has seen.
type observer struct {
	l        *ringfence.Locker
	name     string
	interval time.Duration

	last   driver.Record // as it was told
	looked time.Time     // before the last look that was answered; zero before the first
	down   bool          // and that was told
}

func (w *observer) run(ctx context.Context, yield func(Change, error) bool) {
	for {
		begun := time.Now()
		r, err := w.l.Inspect(ctx, w.name)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !down(err):
			yield(Change{}, err)
			return
		case err != nil:
			if !w.down && !yield(Change{}, err) {
				return
			}
			w.down = true
		default:
			w.down = false
			if c, changed := w.change(r, time.Since(w.looked)); changed && !yield(c, nil) {
				return
			}
			w.looked = begun
		}
		if !pause(ctx, w.interval) {
			return
		}
	}
}

// change tells what r, read up to window after the look before, says that was not told
// yet. Of an older term than the last one nothing is told.
func (w *observer) change(r driver.Record, window time.Duration) (Change, bool) {
	last := w.last
	if r.State == driver.Free { // its record is gone, or there was none
		r = driver.Record{Token: last.Token, Holder: last.Holder, State: driver.Free}
		if last.State != driver.Held { // its end was told
			return Change{}, false
		}
	}
	if r.Token < last.Token || r.Token == last.Token && r.State == last.State {
		return Change{}, false
	}
	w.last = r
	c := Change{State: r.State, Fence: fence.Fence{Name: w.name, Token: r.Token}, Holder: r.Holder}
	if r.State == driver.Held {
		c.At = r.GrantedAt
	}
	if r.Token > last.Token+1 && !w.looked.IsZero() {
		c.Unseen = max(window-age(r), 0)
	}
	return c, true
}

// age is how long ago r was granted when the store was asked, as far as r tells.
func age(r driver.Record) time.Duration {
	if r.State != driver.Held {
		return 0
	}
	return r.ExpiresAt.Add(-r.Remaining).Sub(r.GrantedAt)
}
