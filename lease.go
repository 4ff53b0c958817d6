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

// Lease is one term, as its holder sees it, or several that are held together (Kind.Also):
// then each method speaks of all of them, but for Fence and Term. Its methods may be
// called by many goroutines at once.
type Lease struct {
	l      *Locker
	term   driver.Term
	hold   Hold
	ctx    context.Context
	cancel context.CancelCauseFunc

	carries fence.Fence // of a shared lease: what Fence is; else zero
	permit  int         // its number, where it is one
	with    []*Lease    // those of the other names, where it is of several

	asking  sync.Mutex // held during a Renew or the release: one of them at a time
	calls   pending    // renewals that were sent and have not been answered
	telling pending    // of what happened, to Options.OnEvent in the background
	noted

	mu       sync.Mutex
	granted  instant       // when the grant was known
	sent     instant       // before the last request that the store granted
	ends     time.Time     // the latest at which the store's lease can end, as far as the holder knows
	trust    time.Duration // from sent on
	kept     time.Time     // until when the name stays held after the release, or zero
	failing  bool          // the last renewal was sent and has not been granted
	released bool          // the store has been told, or knew
	waived   bool          // Hold.MinHold no longer counts
	cut      bool          // the store was asked to let it end when Hold.MinHold has passed
	given    bool          // the holder released or abandoned it
}

// errUnfenced answers the steps of a lease that stands for no term.
var errUnfenced = fmt.Errorf("%w: the work runs without a lease, as it asked to", ErrUnavailable)

// Unfenced reports that there is no term behind this lease: the store was down
// and the work asked to run all the same. Its Fence is zero.
func (le *Lease) Unfenced() bool { return le.term.Token == 0 }

func newLease(ctx context.Context, l *Locker, h Hold, t driver.Term, sent instant) *Lease {
	lease := &Lease{l: l, term: t, hold: h, granted: l.now()}
	lease.ctx, lease.cancel = context.WithCancelCause(ctx)
	lease.extend(t, sent, h.least())
	l.keeper.add(lease)
	return lease
}

// Fence is what every write of this term carries. It is the zero Fence, which
// every guard refuses, where the work runs unfenced.
func (le *Lease) Fence() fence.Fence {
	if le.carries.Token != 0 {
		return le.carries
	}
	return le.term.Fence
}

// Context ends when the holder may no longer work: Hold.Notice before trust runs
// out, at once when a renewal learns that the term is over, at the release, or
// with the context that was given to the acquire. context.Cause says why: an
// *EndedError, but for the last case.
func (le *Lease) Context() context.Context { return le.ctx }

// TrustedUntil is the holder's own, pessimistic end of the lease: never after
// the store's. Work that must not run beside another's has to be over by then.
// It is the zero Time where the work runs unfenced.
func (le *Lease) TrustedUntil() time.Time {
	until := le.trustedUntil()
	for _, other := range le.with {
		if t := other.trustedUntil(); t.Before(until) {
			until = t
		}
	}
	return until
}

func (le *Lease) trustedUntil() time.Time {
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
func (le *Lease) Remaining() time.Duration { return le.weakest().remaining() }

func (le *Lease) remaining() time.Duration {
	now := le.l.now()
	le.mu.Lock()
	defer le.mu.Unlock()
	return le.trust - now.elapsed(le.sent)
}

// lasts is how long the context still does.
func (le *Lease) lasts(now instant) time.Duration {
	le.mu.Lock()
	defer le.mu.Unlock()
	return le.trust - now.elapsed(le.sent) - le.hold.Notice
}

// extend takes in a grant of what was asked for as long as ttl, unless a request that
// was sent later was granted before.
func (le *Lease) extend(t driver.Term, sent instant, ttl time.Duration) {
	le.mu.Lock()
	defer le.mu.Unlock()
	if sent.at.Before(le.sent.at) {
		return
	}
	le.sent = sent
	ends := le.l.now().at.Add(t.Remaining + le.l.props.Resolution)
	if !le.calls.any() || ends.After(le.ends) {
		le.ends = ends
	}
	le.trust = t.Remaining - le.hold.delay() - margin(ttl-le.hold.delay(), le.l.props.Resolution)
	le.failing = false
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

// end ends the context, and returns what is left to do: to tell of it.
func (le *Lease) end(cause EndCause) (tell func()) {
	le.telling.begin()
	ended := error(&EndedError{Fence: le.term.Fence, Cause: cause})
	le.cancel(ended)
	return func() {
		defer le.telling.end()
		if context.Cause(le.ctx) == ended && !le.hold.quiet { // and not something before it
			le.l.emit(Event{Kind: EventLost, Fence: le.term.Fence, Err: ended})
		}
	}
}

// report tells of a renewal, unless the holder has given the lease back meanwhile.
func (le *Lease) report(e Event) {
	le.telling.begin()
	defer le.telling.end()
	if e.Kind != "" && !le.isGiven() {
		le.l.emit(e)
	}
}

// Renew makes the lease last Hold.TTL from now, or what is left of Hold.MinHold where
// that is more. It is for a holder that doesn't ask for Hold.Renew. An *EndedError
// means that the term is over, and ends the lease's context; after any other error the
// lease is as it was.
func (le *Lease) Renew(ctx context.Context) error {
	for part := range le.all() {
		if err := part.renew(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (le *Lease) renew(ctx context.Context) error {
	le.asking.Lock()
	defer le.asking.Unlock()
	if le.Unfenced() {
		return errUnfenced
	}
	if err := le.over(); err != nil {
		le.telling.await(nil)
		return le.l.wrap("renew", le.term.Fence, err)
	}
	sent, ttl := le.l.now(), le.ttl()
	ctx, cancel := context.WithTimeout(ctx, le.asks(sent, ttl))
	defer cancel()
	term, err := le.l.store.Renew(ctx, le.term, ttl)
	event, err := le.settle(term, err, sent, ttl)
	if errors.Is(err, ErrEnded) {
		le.telling.await(nil)
	}
	le.report(event)
	return err
}

// asks notes that a renewal for ttl is about to be sent, and returns how long it may take.
func (le *Lease) asks(now instant, ttl time.Duration) (patience time.Duration) {
	le.mu.Lock()
	defer le.mu.Unlock()
	patience = min(le.l.opts.RequestTimeout, max(le.trust-now.elapsed(le.sent), 0))
	if ends := now.at.Add(patience + ttl); ends.After(le.ends) {
		le.ends = ends // should it be granted, and nobody told
	}
	le.failing = true
	le.calls.begin()
	return patience
}

// settle takes in what came of a renewal for ttl that was sent then. It returns what is
// to be told, if anything is, and the error as a caller gets it.
func (le *Lease) settle(t driver.Term, err error, sent instant, ttl time.Duration) (Event, error) {
	le.calls.end()
	if err == nil {
		le.extend(t, sent, ttl)
		return Event{Kind: EventRenewed, Fence: le.term.Fence, Until: le.trustedUntil()}, nil
	}
	err = le.l.wrap("renew", le.term.Fence, err)
	if ended, ok := errors.AsType[*EndedError](err); ok {
		go le.end(ended.Cause)()
		return Event{}, err
	}
	if le.ctx.Err() != nil {
		return Event{}, err
	}
	return Event{Kind: EventRenewFailed, Fence: le.term.Fence, Err: err, Until: le.trustedUntil()}, err
}

// over is why the term is over in the holder's view, or nil. Where it is, the context ends.
func (le *Lease) over() error {
	if ended, ok := errors.AsType[*EndedError](context.Cause(le.ctx)); ok {
		return ended
	}
	if le.remaining() <= 0 {
		cause := le.lapse()
		le.end(cause)()
		return &EndedError{Fence: le.term.Fence, Cause: cause}
	}
	return nil
}

// Release ends the term, so that the name is free at once, or when Hold.MinHold has
// passed since the grant. An *EndedError means that the term was over before: another
// may have held the name since. After any other error the name may stay held until the
// lease ends by itself, and Release may be called again. The context that ends here is
// the lease's; ctx bounds the call.
func (le *Lease) Release(ctx context.Context) error {
	if len(le.with) == 0 {
		return le.release(ctx)
	}
	le.Abandon()
	left := le.unreleased()
	errs := make([]error, len(left))
	each(left, func(i int, part *Lease) { errs[i] = part.release(ctx) })
	return errors.Join(errs...)
}

func (le *Lease) release(ctx context.Context) error {
	le.abandon()
	le.asking.Lock()
	defer le.asking.Unlock()
	if le.Unfenced() {
		return errUnfenced
	}
	if le.released {
		return le.l.wrap("release", le.term.Fence, &EndedError{Fence: le.term.Fence, Cause: EndReleased})
	}
	if le.owed() > 0 {
		le.calls.await(ctx.Done()) // one that is late would hold the name for longer
	}
	err := le.tell(ctx)
	le.released = err == nil || errors.Is(err, ErrEnded)
	if err == nil {
		le.l.places.freed(le.term.Name)
	}
	if err == nil && !le.hold.quiet {
		le.l.emit(Event{Kind: EventReleased, Fence: le.term.Fence, Until: le.kept})
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
		err = le.leave(callCtx)
		cancel()
		if ended, ok := errors.AsType[*EndedError](err); ok && sent && le.left(ended) {
			return nil
		}
		if !errors.Is(err, ErrUnknown) {
			break
		}
	}
	return err
}

// Abandon stops renewing and ends the lease's context without a word to the
// store: the name frees itself when the lease ends. A renewal that is under way
// changes nothing any more, and is not waited for.
func (le *Lease) Abandon() {
	for part := range le.all() {
		part.abandon()
	}
}

func (le *Lease) abandon() {
	le.mu.Lock()
	le.given = true
	le.mu.Unlock()
	le.cancel(&EndedError{Fence: le.term.Fence, Cause: EndReleased})
	le.l.keeper.drop(le)
	le.telling.await(nil)
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
