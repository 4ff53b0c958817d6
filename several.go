package ringfence

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// several leases name and Kind.Also, all or none of them.
func (l *Locker) several(ctx context.Context, name string, wait time.Duration, h Hold) (*Lease, error) {
	return l.insist(ctx, name, wait, l.noWatch(ctx), nil, func(left time.Duration) (*Lease, error) {
		return l.collect(ctx, name, left, h)
	})
}

// collect acquires the names one after another, and has those that it holds renewed
// meanwhile.
func (l *Locker) collect(ctx context.Context, name string, wait time.Duration, h Hold) (*Lease, error) {
	begun := l.now()
	names := h.Kind.Names(name)
	h.Kind = Kind{DelayAfterExpiry: h.Kind.DelayAfterExpiry}
	all := newBond(ctx)
	var whole *Lease
	for _, n := range names {
		lease, err := l.single(all.ctx, n, wait-l.now().elapsed(begun), h)
		if err != nil {
			return all.dissolve(ctx, err)
		}
		l.keeper.keepUp(lease, true)
		all.add(lease)
		if n == name {
			whole = lease
		}
	}
	whole.with = slices.DeleteFunc(all.leases, func(part *Lease) bool { return part == whole })
	return l.collected(ctx, whole, nil)
}

// bond holds leases together: the first that ends ends the contexts of all.
type bond struct {
	ctx    context.Context // that of each is made from it
	end    context.CancelCauseFunc
	leases []*Lease
}

func newBond(ctx context.Context) *bond {
	b := new(bond)
	b.ctx, b.end = context.WithCancelCause(ctx)
	return b
}

func (b *bond) add(le *Lease) {
	b.leases = append(b.leases, le)
	context.AfterFunc(le.ctx, func() { b.end(context.Cause(le.ctx)) })
}

// dissolve gives back those that were got before err.
func (b *bond) dissolve(ctx context.Context, err error) (*Lease, error) {
	if len(b.leases) > 0 {
		err = b.leases[0].lostOnTheWay(ctx, err)
	}
	each(b.leases, func(_ int, le *Lease) { le.giveUp(ctx) })
	b.end(nil)
	return nil, err
}

// collected is the lease, ready for work, when err is nil and nothing of it was lost on the way.
// Otherwise it is given back.
func (l *Locker) collected(ctx context.Context, whole *Lease, err error) (*Lease, error) {
	for part := range whole.all() {
		if err == nil {
			err = part.freshen(ctx)
		}
	}
	if err == nil && whole.usable() {
		return whole, nil
	}
	err = whole.lostOnTheWay(ctx, err)
	whole.giveUp(ctx)
	return nil, err
}

// lostOnTheWay is why a lease can't be handed out after all: err, unless the lease was lost, which is
// why there is an err.
func (le *Lease) lostOnTheWay(ctx context.Context, err error) error {
	if ended, lost := errors.AsType[*EndedError](context.Cause(le.ctx)); lost && ctx.Err() == nil {
		return le.unusable(ended)
	}
	return cmp.Or(err, context.Cause(ctx), le.unusable(errSlow))
}

// unusable says that what was granted is of no use, for another try to get something better. It
// is no loss of a lease, since nobody has worked.
func (le *Lease) unusable(why error) error {
	fault := &driver.Fault{Kind: ErrUnavailable, Err: errors.New(why.Error())}
	if ended, ok := errors.AsType[*EndedError](why); ok && ended.Cause != EndUnreachable {
		fault.Err = &takenError{why}
	}
	return le.l.wrap("acquire", fence.Fence{Name: le.Fence().Name}, fault)
}

// takenError is why a lease was over before the work began where the store is not down: another
// may hold the name by now.
type takenError struct{ why error }

func (e *takenError) Error() string { return e.why.Error() }

func wasTaken(err error) bool {
	_, ok := errors.AsType[*takenError](err)
	return ok
}

// freshen ends the renewals of a lease that was kept while its holder waited for more, unless
// its Hold asks for them, and lets it last from now on.
func (le *Lease) freshen(ctx context.Context) error {
	if le.hold.Renew {
		return nil
	}
	le.l.keeper.keepUp(le, false)
	if le.age() < le.hold.TTL/100 {
		return nil
	}
	return le.renew(ctx)
}

// age is how long ago the request was sent from which on the lease is trusted.
func (le *Lease) age() time.Duration {
	now := le.l.now()
	le.mu.Lock()
	defer le.mu.Unlock()
	return now.elapsed(le.sent)
}

// giveUp releases a lease under which nothing was done. Where that can't be told, it ends by itself.
func (le *Lease) giveUp(ctx context.Context) {
	le.Waive()
	le.Abandon()
	each(slices.Collect(le.all()), func(_ int, part *Lease) {
		if part.release(context.WithoutCancel(ctx)) != nil {
			part.unworked()
		}
	})
}

// unworked tells that nobody was at work under a lease whose release told nothing: nobody
// has to look for what was done there.
func (le *Lease) unworked() {
	if !le.hold.quiet {
		le.l.emit(Event{Kind: EventReclaimed, Fence: le.term.Fence})
	}
}

// all are the leases of the names of this one.
func (le *Lease) all() iter.Seq[*Lease] {
	return func(yield func(*Lease) bool) {
		if !yield(le) {
			return
		}
		for _, other := range le.with {
			if !yield(other) {
				return
			}
		}
	}
}

// each does step with all of parts at the same time, so that a store which hangs costs many
// no more time than one.
func each(parts []*Lease, step func(i int, part *Lease)) {
	var all sync.WaitGroup
	for i, part := range parts {
		all.Go(func() { step(i, part) })
	}
	all.Wait()
}

// unreleased are those of which the store has not been told, or all of them where it has of each.
func (le *Lease) unreleased() []*Lease {
	all := slices.Collect(le.all())
	left := slices.DeleteFunc(slices.Clone(all), (*Lease).isReleased)
	if len(left) == 0 {
		return all
	}
	return left
}

func (le *Lease) isReleased() bool {
	le.asking.Lock()
	defer le.asking.Unlock()
	return le.released
}

// weakest is the one of them whose trust ends first.
func (le *Lease) weakest() *Lease {
	if len(le.with) == 0 {
		return le
	}
	return slices.MinFunc(slices.Collect(le.all()), func(a, b *Lease) int { return cmp.Compare(a.remaining(), b.remaining()) })
}

// isOf reports whether f is of one of them.
func (le *Lease) isOf(f fence.Fence) bool {
	for part := range le.all() {
		if part.term.Fence == f {
			return true
		}
	}
	return false
}

// partOf is the one of them that ended so.
func (le *Lease) partOf(ended *EndedError) *Lease {
	for _, other := range le.with {
		if other.term.Fence == ended.Fence {
			return other
		}
	}
	return le
}
