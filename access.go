package ringfence

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Readers and writers meet at the gate, which is the lease of the name itself.
//
// A reader passes it: it holds the gate while it takes one of MaxShared slots, and then releases
// the gate. Only a release which says that the gate was held until then lets it in. A writer
// holds the gate for as long as it works, and begins when it has found every slot free once.
//
// A reader that is let in has its slot before its gate is released, so before the gate of
// any later writer is granted. That writer finds the slot free only when the reader's term there
// is over. And a reader whose gate comes after a writer's comes after that term's end. So on
// the store's clock no reader's term and no writer's work overlap.

// shared leases a slot among the readers of name.
func (l *Locker) shared(ctx context.Context, name string, wait time.Duration, h Hold) (*Lease, error) {
	slots := slots(name, MaxShared, sharedSlot)
	return l.insist(ctx, name, wait, l.watchOneOf(ctx, slots), nil, func(left time.Duration) (*Lease, error) {
		return l.pass(ctx, name, left, slots, h)
	})
}

// pass goes through the gate to a slot.
func (l *Locker) pass(ctx context.Context, name string, wait time.Duration, slots []string, h Hold) (*Lease, error) {
	brief := l.brief(h)
	brief.Kind.DelayAfterExpiry = h.Kind.DelayAfterExpiry
	gate, err := l.single(ctx, name, wait, brief)
	if wait <= 0 && l.passing(err, brief) {
		gate, err = l.single(ctx, name, gateWait, brief)
	}
	if err != nil {
		return nil, err
	}
	h.settled = true // a reader before may have had the slot, and readers don't write
	slot, _, err := l.anyOf(ctx, name, slots, h)
	told := gate.Release(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	if told == nil && !slot.usable() {
		told = errSlow
	}
	if told != nil { // a writer may have come in between
		slot.giveUp(ctx)
		return nil, gate.unusable(told)
	}
	slot.carries = gate.term.Fence
	return slot, nil
}

// gateWait is how long a reader that would not wait does so for another reader to pass the gate.
const gateWait = 2 * time.Second

// passing reports whether whoever is in the way at the gate can be a reader on its way in: a
// lease that is longer is a writer's.
func (l *Locker) passing(err error, brief Hold) bool {
	held, ok := errors.AsType[*HeldError](err)
	brief.TTL = max(2*l.opts.RequestTimeout, l.props.MinTTL) // the longest of any reader
	return ok && held.Remaining <= brief.least()+l.props.Resolution
}

// brief is how a reader holds the gate, and a writer tries a slot: for as long as a few
// requests take, so that a crash there holds up others no longer.
func (l *Locker) brief(h Hold) Hold {
	return Hold{TTL: max(min(h.TTL, 2*l.opts.RequestTimeout), l.props.MinTTL), Holder: h.Holder}
}

// exclusive leases name for one writer.
func (l *Locker) exclusive(ctx context.Context, name string, wait time.Duration, h Hold) (*Lease, error) {
	return l.insist(ctx, name, wait, l.noWatch(ctx), nil, func(left time.Duration) (*Lease, error) {
		begun := l.now()
		gate, err := l.single(ctx, name, left, h)
		if err != nil {
			return nil, err
		}
		l.keeper.keepUp(gate, true)
		err = l.drain(gate, left-l.now().elapsed(begun))
		return l.collected(ctx, gate, err)
	})
}

// drain returns when every slot has been free since the gate was granted. It waits for that
// where wait is more than 0.
func (l *Locker) drain(gate *Lease, wait time.Duration) error {
	begun := l.now()
	slots := slots(gate.term.Name, MaxShared, sharedSlot)
	errs := make([]error, len(slots))
	var all sync.WaitGroup
	for i, slot := range slots {
		all.Go(func() { errs[i] = l.trySlot(gate, slot, 0) })
	}
	all.Wait()
	for i, err := range errs {
		left := wait - l.now().elapsed(begun)
		if errors.Is(err, ErrHeld) && left > 0 {
			err = l.trySlot(gate, slots[i], left)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// trySlot returns when a step of the store has found the slot free.
func (l *Locker) trySlot(gate *Lease, slot string, wait time.Duration) error {
	h := l.brief(gate.hold)
	h.quiet = true
	lease, err := l.single(gate.ctx, slot, wait, h)
	if err == nil {
		lease.giveUp(gate.ctx)
	}
	return err
}
