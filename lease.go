package ringfence

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Lease is one term, as its holder sees it. Its methods may be called by many
// goroutines at once.
type Lease struct {
	l      *Locker
	term   driver.Term
	hold   Hold
	ctx    context.Context
	cancel context.CancelCauseFunc

	asking sync.Mutex // held during a renewal or the release: one of them at a time
	loops  sync.WaitGroup

	mu       sync.Mutex
	sent     instant       // before the last request that the store granted
	ends     time.Time     // the latest at which the store's lease can end, as far as the holder knows
	trust    time.Duration // from sent on
	failing  bool          // the last renewal was sent and has not been granted
	released bool          // the store has been told, or knew
	given    bool          // the holder released or abandoned it
}

// errUnfenced answers the steps of a lease that stands for no term.
var errUnfenced = fmt.Errorf("%w: the work runs without a lease, as it asked to", ErrUnavailable)

// Unfenced reports that there is no term behind this lease: the store was down
// and the work asked to run all the same. Its Fence is zero.
func (le *Lease) Unfenced() bool { return le.term.Token == 0 }

func newLease(ctx context.Context, l *Locker, h Hold, t driver.Term, sent instant) *Lease {
	lease := &Lease{l: l, term: t, hold: h}
	lease.ctx, lease.cancel = context.WithCancelCause(ctx)
	lease.extend(t, sent)
	lease.loops.Go(lease.watch)
	if h.Renew {
		lease.loops.Go(lease.keepAlive)
	}
	return lease
}

// Fence is what every write of this term carries. It is the zero Fence, which
// every guard refuses, where the work runs unfenced.
func (le *Lease) Fence() fence.Fence { return le.term.Fence }

// Context ends when the holder may no longer work: Hold.Notice before trust runs
// out, at once when a renewal learns that the term is over, at the release, or
// with the context that was given to the acquire. context.Cause says why: an
// *EndedError, but for the last case.
func (le *Lease) Context() context.Context { return le.ctx }

// TrustedUntil is the holder's own, pessimistic end of the lease: never after
// the store's. Work that must not run beside another's has to be over by then.
// It is the zero Time where the work runs unfenced.
func (le *Lease) TrustedUntil() time.Time {
	now := le.l.now()
	le.mu.Lock()
	defer le.mu.Unlock()
	if le.sent.at.IsZero() {
		return time.Time{}
	}
	until := le.sent.at.Add(le.trust)
	if ahead := now.elapsed(le.sent) - now.at.Sub(le.sent.at); ahead >= time.Millisecond {
		until = until.Add(-ahead) // the wall clock has moved more
	}
	return until
}

// Remaining is how long trust still lasts, on whichever clock has moved more; zero or
// less when it is over.
func (le *Lease) Remaining() time.Duration {
	now := le.l.now()
	le.mu.Lock()
	defer le.mu.Unlock()
	return le.trust - now.elapsed(le.sent)
}

func (le *Lease) extend(t driver.Term, sent instant) {
	le.mu.Lock()
	defer le.mu.Unlock()
	le.sent = sent
	le.ends = le.l.now().at.Add(t.Remaining + le.l.props.Resolution)
	le.trust = t.Remaining - margin(le.hold.TTL, le.l.props.Resolution)
	le.failing = false
}

// watch ends the context when its time has come. It looks at least once a
// second, since a timer counts on the monotonic clock alone.
func (le *Lease) watch() {
	for {
		left := le.Remaining() - le.hold.Notice
		if left <= 0 {
			le.end(le.lapse())
			return
		}
		if !sleep(le.ctx.Done(), min(left, time.Second)) {
			return
		}
	}
}

// lapse says why trust ran out by itself.
func (le *Lease) lapse() EndCause {
	le.mu.Lock()
	defer le.mu.Unlock()
	if le.failing {
		return EndUnreachable
	}
	return EndExpired
}

func (le *Lease) end(cause EndCause) {
	ended := error(&EndedError{Fence: le.term.Fence, Cause: cause})
	le.cancel(ended)
	if context.Cause(le.ctx) == ended { // and not something before it
		le.l.emit(Event{Kind: EventLost, Fence: le.term.Fence, Err: ended})
	}
}

// keepAlive renews at a third of the lease. A failed renewal is tried again,
// soon and then less soon, for as long as trust lasts: one bad reply is no loss.
func (le *Lease) keepAlive() {
	third := le.hold.TTL / 3
	for pause := third; sleep(le.ctx.Done(), jitter(pause)); {
		err := le.Renew(le.ctx)
		switch {
		case err == nil:
			pause = third
		case pause == third:
			pause = third / 16
		default:
			pause = min(2*pause, third/2)
		}
	}
}

// Renew makes the lease last Hold.TTL from now. It is for a holder that doesn't
// ask for Hold.Renew. An *EndedError means that the term is over, and ends the
// lease's context; after any other error the lease is as it was.
func (le *Lease) Renew(ctx context.Context) error {
	le.asking.Lock()
	defer le.asking.Unlock()
	if le.Unfenced() {
		return errUnfenced
	}
	if err := le.over(); err != nil {
		return le.l.wrap("renew", le.term.Fence, err)
	}
	sent := le.l.now()
	patience := min(le.l.opts.RequestTimeout, max(le.Remaining(), 0))
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	le.mu.Lock()
	le.failing = true
	le.ends = sent.at.Add(patience + le.hold.TTL) // should it be granted, and nobody told
	le.mu.Unlock()
	term, err := le.l.store.Renew(ctx, le.term, le.hold.TTL)
	if err == nil {
		le.extend(term, sent)
		le.l.emit(Event{Kind: EventRenewed, Fence: le.term.Fence, Until: le.TrustedUntil()})
		return nil
	}
	err = le.l.wrap("renew", le.term.Fence, err)
	if ended, ok := errors.AsType[*EndedError](err); ok {
		le.end(ended.Cause)
		return err
	}
	if le.ctx.Err() == nil {
		le.l.emit(Event{Kind: EventRenewFailed, Fence: le.term.Fence, Err: err, Until: le.TrustedUntil()})
	}
	return err
}

// over is why the term is over in the holder's view, or nil.
func (le *Lease) over() error {
	if ended, ok := errors.AsType[*EndedError](context.Cause(le.ctx)); ok {
		return ended
	}
	if le.Remaining() <= 0 {
		return &EndedError{Fence: le.term.Fence, Cause: le.lapse()}
	}
	return nil
}

// Release ends the term, so that the name is free at once. An *EndedError means
// that the term was over before: another may have held the name since. After any
// other error the name may stay held until the lease ends by itself, and Release
// may be called again. The context that ends here is the lease's; ctx bounds the
// call.
func (le *Lease) Release(ctx context.Context) error {
	le.Abandon() // a renewal in flight ends first
	le.asking.Lock()
	defer le.asking.Unlock()
	if le.Unfenced() {
		return errUnfenced
	}
	if le.released {
		return le.l.wrap("release", le.term.Fence, &EndedError{Fence: le.term.Fence, Cause: EndReleased})
	}
	err := le.tell(ctx)
	le.released = err == nil || errors.Is(err, ErrEnded)
	if err == nil {
		le.l.emit(Event{Kind: EventReleased, Fence: le.term.Fence})
	}
	return le.l.wrap("release", le.term.Fence, err)
}

// tell asks the store to release, a few times while the outcome is unknown. Only
// this holder can release this term, so that "released before" is then its own doing.
func (le *Lease) tell(ctx context.Context) error {
	var err error
	for try := range maxTries {
		if try > 0 && !sleep(ctx.Done(), jitter(firstPause<<try)) {
			break
		}
		sent := err != nil
		callCtx, cancel := context.WithTimeout(ctx, le.l.opts.RequestTimeout)
		err = le.l.store.Release(callCtx, le.term)
		cancel()
		if ended, ok := errors.AsType[*EndedError](err); ok && sent && ended.Cause == EndReleased {
			return nil
		}
		if !errors.Is(err, ErrUnknown) {
			break
		}
	}
	return err
}

// Abandon stops renewing and ends the lease's context without a word to the
// store: the name frees itself when the lease ends.
func (le *Lease) Abandon() {
	le.mu.Lock()
	le.given = true
	le.mu.Unlock()
	le.cancel(&EndedError{Fence: le.term.Fence, Cause: EndReleased})
	le.loops.Wait()
}

// heldUntil is the latest at which the name frees itself.
func (le *Lease) heldUntil() time.Time {
	le.mu.Lock()
	defer le.mu.Unlock()
	return le.ends
}

func (le *Lease) isGiven() bool {
	le.mu.Lock()
	defer le.mu.Unlock()
	return le.given
}
