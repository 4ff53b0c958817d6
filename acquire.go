package ringfence

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// TryAcquire leases name, or fails at once with a *HeldError when somebody else
// holds it or waits for it. The lease lives no longer than ctx: when ctx ends it is no longer
// renewed and its context ends, but only Release frees the name early.
func (l *Locker) TryAcquire(ctx context.Context, name string, h Hold) (*Lease, error) {
	return l.acquire(ctx, name, 0, h)
}

// Acquire is [Locker.TryAcquire], trying again for up to wait while the name is
// held or the store can't be reached, with pauses that grow to a second and are
// spread at random. A hint of the store that the name may be free ends a pause; where
// the store gives hints, pauses grow to five seconds.
//
// Where the store keeps a line (driver.Queue), those who wait are served in the order in
// which they came, and nobody overtakes them, TryAcquire neither: while somebody waits it
// fails with a *HeldError even if nobody holds the name. A waiter that vanishes costs the
// others 10 s at most, once. The first in line asks ten times a second where it gets no
// hints, those behind it more seldom, and all places are kept with one request in 3 s. With
// too many in line already Acquire fails at once with ErrFull.
//
// After wait it fails with the last reason.
func (l *Locker) Acquire(ctx context.Context, name string, wait time.Duration, h Hold) (*Lease, error) {
	if err := CheckWait(wait); err != nil {
		return nil, err
	}
	return l.acquire(ctx, name, wait, h)
}

// single leases one name.
func (l *Locker) single(ctx context.Context, name string, wait time.Duration, h Hold) (*Lease, error) {
	a, err := l.newAttempt(name, h)
	if err != nil {
		return nil, err
	}
	defer a.giveBack()
	lease, err := l.insist(ctx, name, wait, l.watch(ctx, name), &a.req, func(patience time.Duration) (*Lease, error) {
		a.patience = cmp.Or(patience, h.patience)
		return a.ask(ctx)
	})
	if err == nil && a.unsure {
		return lease.sitOut(ctx)
	}
	return lease, err
}

// insist tries until it has a lease, wait is over, or trying again makes no sense, and rests in between.
// A wait of 0 is one try that takes as long as it takes. stands is whose attempt stands in line for the
// name meanwhile; nil where nobody does.
func (l *Locker) insist(
	ctx context.Context, name string, wait time.Duration, watch *watch, stands *driver.Request, try func(patience time.Duration) (*Lease, error),
) (*Lease, error) {
	line := l.line()
	defer func() { line.leave(watch.end) }() // in this order: whoever is told next must find the place gone
	if wait <= 0 {
		return try(0)
	}
	begun := l.now()
	var last error // what the try before came to
	for pause := firstPause; ; pause = min(2*pause, watch.longestPause()) {
		lease, err := try(max(wait-l.now().elapsed(begun), leastPatience))
		left := wait - l.now().elapsed(begun)
		if left <= 0 && down(err) && errors.Is(last, ErrHeld) {
			err = last // the last try had no time for an answer: the name is held, the store not down
		}
		last = err
		if err == nil {
			line.served()
		}
		if err == nil || !worthWaiting(err) || left <= 0 {
			return lease, err
		}
		l.emit(Event{Kind: EventWaiting, Fence: fence.Fence{Name: name}, Err: err})
		if errors.Is(err, ErrHeld) {
			joined, full := line.keep(ctx, stands, left)
			if full != nil {
				return nil, l.wrap("wait for", fence.Fence{Name: name}, full)
			}
			if watch.begin(left, line.req.Attempt) || joined {
				continue // it may have been released before the watch began, or before there was a place
			}
		}
		pause = max(pause, watch.shortestPause())
		if !watch.rest(min(line.pause(err, pause, watch.hints != nil), left), line.turn) {
			return nil, errors.Join(context.Cause(ctx), err)
		}
	}
}

const (
	firstPause = 25 * time.Millisecond
	maxPause   = time.Second
	// watchedPause is the longest pause of a waiter who listens for hints: how long it
	// takes to make up for one that was lost.
	watchedPause = 5 * time.Second
	maxTries     = 3

	// leastPatience is what a store gets to answer the last try of a wait.
	leastPatience = 100 * time.Millisecond
)

func worthWaiting(err error) bool {
	return errors.Is(err, ErrHeld) || errors.Is(err, ErrUnavailable) || errors.Is(err, ErrUnknown)
}

// nextTry is how long to pause: a term about to end by itself is asked for when it has.
func nextTry(err error, pause time.Duration) time.Duration {
	if held, ok := errors.AsType[*HeldError](err); ok {
		pause = min(pause, held.Remaining+firstPause/5)
	}
	return jitter(pause)
}

// attempt is one acquire: everything that is asked under one id.
type attempt struct {
	l     *Locker
	hold  Hold
	req   driver.Request
	begun instant
	// open means that a request under this id was sent and not answered, so that
	// the store may have granted it.
	open bool
	// unsure means that the last term of the name may have ended with no delay since.
	unsure bool
	// patience bounds all tries of one ask; 0 is as long as they take.
	patience time.Duration
}

func (l *Locker) newAttempt(name string, h Hold) (*attempt, error) {
	if h.Holder == "" {
		h.Holder = l.opts.Holder
	}
	if err := h.check(); err != nil {
		return nil, err
	}
	if l.ctx.Err() != nil {
		return nil, l.wrap("acquire", fence.Fence{Name: name}, &driver.Fault{Kind: ErrClosed, Err: errors.New("the Locker was closed")})
	}
	a := &attempt{l: l, hold: h, begun: l.now(), req: driver.Request{Name: name, Attempt: rand.Text(), Holder: h.Holder, TTL: h.least()}}
	if err := a.req.Check(l.props); err != nil {
		return nil, err
	}
	return a, nil
}

// ask sends the attempt until it is answered, a few times at most. Where a.open is
// set afterwards, the store may have granted it.
func (a *attempt) ask(ctx context.Context) (*Lease, error) {
	holding := ctx // the lease outlives the asking
	if a.patience != 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, a.patience)
		defer cancel()
	}
	var err error
	for try := range maxTries {
		if try > 0 && !sleep(ctx.Done(), jitter(firstPause<<try)) {
			break
		}
		var lease *Lease
		lease, err = a.send(ctx, holding)
		if err == nil {
			return lease, nil
		}
		if errors.Is(err, ErrEnded) { // granted under this id, and over already: a new term needs a new id
			a.req.Attempt, a.open = rand.Text(), false
			continue
		}
		if !errors.Is(err, ErrUnknown) {
			break
		}
	}
	if errors.Is(err, ErrEnded) { // each id's term was ended by somebody before its holder knew of it
		err = &driver.Fault{Kind: ErrUnavailable, Err: errors.New(err.Error())}
	}
	if a.open && !errors.Is(err, ErrUnknown) {
		err = &driver.Fault{Kind: ErrUnknown, Err: err} // an earlier try may have got through
	}
	return nil, a.l.wrap("acquire", fence.Fence{Name: a.req.Name}, err)
}

// errSlow is why a lease is not handed out that has been granted.
var errSlow = errors.New("the reply took as long as the lease")

// usable reports whether there is time left to work in.
func (le *Lease) usable() bool { return le.ctx.Err() == nil && le.Remaining() > le.hold.Notice }

func (a *attempt) send(ctx, holding context.Context) (*Lease, error) {
	l := a.l
	callCtx, cancel := context.WithTimeout(ctx, l.opts.RequestTimeout)
	defer cancel()
	a.unsure = a.unsettled(callCtx)
	sent := l.now()
	term, err := l.store.Acquire(callCtx, a.req)
	switch {
	case errors.Is(err, ErrUnknown):
		a.open = true
	case err == nil, errors.Is(err, ErrHeld), errors.Is(err, ErrEnded):
		a.open = false // any definite answer settles what was sent before
	}
	if err != nil {
		return nil, err
	}
	hold := a.hold
	if a.unsure {
		hold.MinHold = max(hold.MinHold, hold.delay())
	}
	lease := newLease(holding, l, hold, term, sent)
	if !lease.usable() {
		if !a.unsure {
			lease.Waive()
		}
		_ = lease.Release(ctx) // best effort: it ends by itself soon
		return nil, &driver.Fault{Kind: ErrUnavailable, Err: errSlow}
	}
	if !hold.quiet {
		l.emit(Event{Kind: EventGranted, Fence: term.Fence, Holder: a.req.Holder, Until: lease.TrustedUntil(), Waited: l.now().elapsed(a.begun)})
	}
	return lease, nil
}

// giveBack frees whatever the store may have granted under an attempt that
// nobody waits for any more, so that the name isn't held by no one for a whole
// lease. It asks once more under the same id, which returns the grant if there
// is one, and releases that. After a lease's length there is nothing left to free.
func (a *attempt) giveBack() {
	if !a.open {
		return
	}
	l := a.l
	l.reclaim.Go(func() {
		begun := l.now()
		for pause := firstPause; l.now().elapsed(begun) < a.req.TTL; pause = min(2*pause, maxPause) {
			if a.settle() || !sleep(l.ctx.Done(), jitter(pause)) {
				return
			}
		}
	})
}

// settle reports whether nothing is left to give back. Where a delay has to pass before anybody
// works, the grant is let run out by then, since a release would say that none is needed.
func (a *attempt) settle() bool {
	l := a.l
	ctx, cancel := context.WithTimeout(l.ctx, l.opts.RequestTimeout)
	defer cancel()
	term, err := l.store.Acquire(ctx, a.req)
	if err != nil {
		return !errors.Is(err, ErrUnknown) && !errors.Is(err, ErrUnavailable)
	}
	if a.unsure {
		_, err = l.store.Renew(ctx, term, max(a.hold.delay(), l.props.MinTTL))
	} else {
		err = l.store.Release(ctx, term)
	}
	if err != nil && !errors.Is(err, ErrEnded) {
		return false
	}
	l.emit(Event{Kind: EventReclaimed, Fence: term.Fence})
	return true
}
