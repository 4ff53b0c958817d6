package ringfence

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Unavailable says what becomes of the work when the store is down. There is no
// default: its zero value is refused.
type Unavailable uint8

// What to do when the store can't be asked.
const (
	_           Unavailable = iota
	Fail                    // don't run the work; Run fails with ErrUnavailable or ErrUnknown
	Skip                    // don't run the work; Run returns nil
	RunUnfenced             // run the work with no lease and the zero fence, which every guard refuses
)

// Held says what becomes of the work when somebody else holds the name.
type Held uint8

// What to do when the name is held, after any wait.
const (
	FailIfHeld Held = iota // Run fails with a *HeldError
	SkipIfHeld             // Run returns nil
)

// DefaultGrace and DefaultLease are what Work uses where it says nothing.
const (
	DefaultGrace = 10 * time.Second
	DefaultLease = 30 * time.Second
)

// Work describes work under a lease. It has a Timeout, or Renew, or both.
type Work struct {
	// Timeout bounds the work: its context then ends with ErrTimedOut. Required
	// unless Renew is set. Without Renew the lease is Timeout + Grace.
	Timeout time.Duration

	// Grace is how long the work may take to stop once its context has ended: the
	// lease outlasts the context by that. Defaults to DefaultGrace; with Renew it is
	// less than half of Lease, and defaults to a third of it where that is less.
	Grace time.Duration

	// Renew keeps the lease alive while the work runs. Together with Timeout the
	// work is bounded, and a crash frees the name after Lease.
	Renew bool

	// Lease is the length of a renewed lease. Only with Renew. Defaults to DefaultLease.
	Lease time.Duration

	// MinHold is how long the name stays held from its grant on, also when the work is
	// over before, or crashes: see Hold.MinHold. Defaults to 0.
	MinHold time.Duration

	// Unavailable says what to do when the store is down. Required.
	Unavailable Unavailable

	// Held says what to do when the name is held. Defaults to FailIfHeld.
	Held Held

	// Wait is how long to wait for the name, or for the store. Defaults to not waiting.
	Wait time.Duration

	// Holder is the label of the term. Defaults to Options.Holder.
	Holder string

	// Kind is the kind of lease. Defaults to one name, held by one.
	Kind Kind
}

// Plan is what a Work comes to: the lease that is derived from it.
type Plan struct {
	// Lease is how long the holder may trust its lease: Timeout + Grace of bounded
	// work, to which Run adds what the holder takes off for two clocks' sake, or the
	// length of a renewed one.
	Lease time.Duration
	Grace time.Duration
}

// Plan derives the lease, or reports what is wrong with w.
func (w Work) Plan() (Plan, error) {
	p := Plan{Lease: w.Lease, Grace: w.Grace}
	switch {
	case w.Unavailable < Fail || w.Unavailable > RunUnfenced:
		return p, fmt.Errorf("%w Work.Unavailable: say what to do when the store is down: Fail, Skip or RunUnfenced", fence.ErrInvalid)
	case w.Held > SkipIfHeld:
		return p, fmt.Errorf("%w Work.Held %d", fence.ErrInvalid, w.Held)
	case w.Timeout == 0 && !w.Renew:
		return p, fmt.Errorf("%w Work: give a Timeout, which bounds it, or Renew, or both", fence.ErrInvalid)
	case w.Timeout < 0 || w.Grace < 0 || w.Lease < 0:
		return p, fmt.Errorf("%w Work: Timeout %s, Grace %s and Lease %s can't be negative", fence.ErrInvalid, w.Timeout, w.Grace, w.Lease)
	case w.Lease != 0 && !w.Renew:
		return p, fmt.Errorf("%w Work.Lease %s: only with Renew; the lease of bounded work is its Timeout + Grace", fence.ErrInvalid, w.Lease)
	case w.Timeout > driver.MaxTTL || w.Grace > driver.MaxTTL:
		return p, fmt.Errorf("%w Work: Timeout %s and Grace %s can be %s at most", fence.ErrInvalid, w.Timeout, w.Grace, driver.MaxTTL)
	}
	if w.Wait != 0 {
		if err := CheckWait(w.Wait); err != nil {
			return p, err
		}
	}
	if w.Renew {
		if p.Lease == 0 {
			p.Lease = DefaultLease
		}
		if p.Grace == 0 {
			p.Grace = min(DefaultGrace, p.Lease/3)
		}
	} else {
		if p.Grace == 0 {
			p.Grace = DefaultGrace
		}
		p.Lease = w.Timeout + p.Grace
	}
	return p, w.hold(p, 0).check()
}

// hold is the lease to ask for at a store of that resolution. A renewed lease's
// context leaves the work its grace before trust ends; a bounded lease is so long
// that trust, which is less, covers timeout and grace.
func (w Work) hold(p Plan, resolution time.Duration) Hold {
	h := Hold{TTL: p.Lease, Renew: w.Renew, MinHold: w.MinHold, Holder: w.Holder, Kind: w.Kind}
	if w.Renew {
		h.Notice = p.Grace
	} else {
		h.TTL = min(p.Lease+2*margin(p.Lease, resolution), driver.MaxTTL)
	}
	return h
}

// Run does work under a lease of name. It acquires as w says, calls do, and
// releases when do has returned, also by a panic.
//
// do must return soon after its context ends: a goroutine can't be stopped from
// outside. The context ends at w.Timeout (context.Cause is ErrTimedOut), when trust
// in the lease is about to end (an *EndedError), or with ctx. Everything that do
// writes carries lease.Fence().
//
// The error is that of do, or a *LostError when the lease ended before do
// returned, also where do returned nil. A release that could not be told is no
// error of the work: it is an EventUntold, which says until when the name stays
// held.
func (l *Locker) Run(ctx context.Context, name string, w Work, do func(ctx context.Context, lease *Lease) error) error {
	plan, err := w.Plan()
	if err != nil {
		return err
	}
	lease, err := l.acquireFor(ctx, name, w, w.hold(plan, l.props.Resolution))
	switch {
	case err == nil:
		if !w.Renew { // a slow grant is at the cost of the work's time, not of its grace
			w.Timeout = max(min(w.Timeout, lease.Remaining()-plan.Grace), 1)
		}
		return lease.run(w.Timeout, do)
	case ctx.Err() != nil: // the caller gave up: nothing was decided
		return err
	case (errors.Is(err, ErrHeld) || errors.Is(err, ErrFull)) && w.Held == SkipIfHeld, down(err) && w.Unavailable == Skip:
		l.emit(Event{Kind: EventSkipped, Fence: fence.Fence{Name: name}, Err: err})
		return nil
	case down(err) && w.Unavailable == RunUnfenced && !wasTaken(err):
		l.emit(Event{Kind: EventUnfenced, Fence: fence.Fence{Name: name}, Err: err})
		return l.runUnfenced(ctx, w.Timeout, do)
	}
	return err
}

func down(err error) bool { return errors.Is(err, ErrUnavailable) || errors.Is(err, ErrUnknown) }

func (l *Locker) acquireFor(ctx context.Context, name string, w Work, h Hold) (*Lease, error) {
	if w.Wait == 0 {
		return l.TryAcquire(ctx, name, h)
	}
	return l.Acquire(ctx, name, w.Wait, h)
}

func (le *Lease) run(timeout time.Duration, do func(context.Context, *Lease) error) (err error) {
	ctx, cancel := bounded(le.ctx, timeout)
	defer cancel()
	returned := false
	defer func() {
		if !returned { // a panic: the work is over all the same
			_ = le.finish(nil)
		}
	}()
	err = timedOut(ctx, do(ctx, le))
	returned = true
	return le.finish(err)
}

// timedOut is the error of the work, and says so where its time had run out.
func timedOut(ctx context.Context, err error) error {
	if err != nil && context.Cause(ctx) == ErrTimedOut { //nolint:errorlint // the cause itself
		return fmt.Errorf("%w: %w", ErrTimedOut, err)
	}
	return err
}

// finish releases after the work has returned err, and tells whether the lease
// ended first.
func (le *Lease) finish(err error) error {
	lost := le.lost()
	switch {
	case le.isGiven(): // released or abandoned by the work itself
	case lost != nil && le.hold.delay() > 0: // what the work has sent may still be on its way
		le.Abandon()
	default:
		if ended := le.leaveOffAll(); ended != nil && (lost == nil || !lost.Suspect && le.wasCutShort(ended)) {
			lost = &LostError{Fence: ended.Fence, Cause: ended.Cause, Suspect: true}
		}
	}
	if lost == nil {
		return err
	}
	lost.Err = err
	if lost.Suspect {
		le.l.emit(Event{Kind: EventSuspect, Fence: lost.Fence, Err: lost})
	}
	return lost
}

// wasCutShort reports whether the term was taken away, and did not only run out while its release
// was on the way: the work may not have known of that before it returned.
func (le *Lease) wasCutShort(ended *EndedError) bool {
	return ended.Cause == EndForced || ended.Cause == EndSuperseded && le.partOf(ended).remaining() > 0
}

// leaveOffAll releases all names after the work, and tells of the first whose term was over before.
func (le *Lease) leaveOffAll() *EndedError {
	parts := slices.Collect(le.all())
	ended := make([]*EndedError, len(parts))
	each(parts, func(i int, part *Lease) { ended[i] = part.leaveOff() })
	if first := slices.IndexFunc(ended, func(e *EndedError) bool { return e != nil }); first >= 0 {
		return ended[first]
	}
	return nil
}

// leaveOff releases after the work, and tells whether the term was over before.
func (le *Lease) leaveOff() *EndedError {
	told := le.release(context.WithoutCancel(le.ctx))
	ended, _ := errors.AsType[*EndedError](told)
	if told != nil && ended == nil {
		le.l.emit(Event{Kind: EventUntold, Fence: le.term.Fence, Err: told, Until: le.heldUntil()})
	}
	return ended
}

// lost is how the lease ended before the work returned, or nil.
func (le *Lease) lost() *LostError {
	ended, ok := errors.AsType[*EndedError](context.Cause(le.ctx))
	ok = ok && le.isOf(ended.Fence) // and not the lease whose context this one was acquired with
	switch {
	case ok && ended.Cause == EndReleased: // by the work itself
		return nil
	case ok:
		taken := ended.Cause == EndSuperseded || ended.Cause == EndForced
		return &LostError{Fence: ended.Fence, Cause: ended.Cause, Suspect: taken || le.Remaining() <= 0}
	case le.Remaining() <= 0:
		part := le.weakest()
		return &LostError{Fence: part.term.Fence, Cause: part.lapse(), Suspect: true}
	}
	return nil
}

func bounded(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout == 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, timeout, ErrTimedOut)
}

func (l *Locker) runUnfenced(ctx context.Context, timeout time.Duration, do func(context.Context, *Lease) error) error {
	le := &Lease{l: l}
	le.ctx, le.cancel = context.WithCancelCause(ctx)
	defer le.cancel(nil)
	ctx, cancel := bounded(le.ctx, timeout)
	defer cancel()
	return timedOut(ctx, do(ctx, le))
}
