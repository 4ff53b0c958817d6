package ringfence

import (
	"context"
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Kind.DelayAfterExpiry has two halves. A holder's lease at the store is longer than its trust by the
// delay, so that a term which runs out keeps the name that much longer, in whatever way its
// holder came to an end, and a release frees it at once. That leaves terms that ended by
// force, and those that left no record: there the next holder waits.

// delay is how much longer than trust the lease at the store lasts.
func (h Hold) delay() time.Duration { return h.Kind.DelayAfterExpiry }

// unsettled reports whether the last term of the name can have ended with no delay since: by
// force, or in a way that no record tells. One that is held now ends in a way that isn't
// known yet.
func (a *attempt) unsettled(ctx context.Context) bool {
	switch {
	case a.hold.delay() == 0 || a.hold.settled:
		return false
	case a.open && a.unsure: // what was sent before may have been granted
		return true
	}
	rec, err := a.l.store.Inspect(ctx, a.req.Name)
	return err != nil || rec.State != driver.Released && rec.State != driver.Expired
}

// sitOut holds the name for the delay from its grant on, before anybody works under it. Where its
// holder gives up, the name stays held for the rest of that time: Hold.MinHold of this
// lease is at least as long.
func (le *Lease) sitOut(ctx context.Context) (*Lease, error) {
	le.l.keeper.keepUp(le, true)
	name := le.term.Name
	le.l.emit(Event{Kind: EventWaiting, Fence: fence.Fence{Name: name}, Err: &unsettledError{name, le.hold.delay()}})
	for left := le.delayLeft(); left > 0 && sleep(le.ctx.Done(), left); left = le.delayLeft() {
	}
	var err error
	if le.ctx.Err() == nil {
		err = le.freshen(ctx)
	}
	if err == nil && le.usable() {
		return le, nil
	}
	err = le.lostOnTheWay(ctx, err)
	if le.leaveOff() != nil { // else, if only by itself, it ends later than that
		le.unworked()
	}
	return nil, err
}

// delayLeft is what is left of the delay, as owed counts it.
func (le *Lease) delayLeft() time.Duration {
	now := le.l.now()
	le.mu.Lock()
	defer le.mu.Unlock()
	passed := max(now.leastElapsed(le.granted), 0)
	return le.hold.delay() - passed + margin(passed, 0)
}

// unsettledError is why a holder waits that has the name already.
type unsettledError struct {
	name  string
	delay time.Duration
}

func (e *unsettledError) Error() string {
	return fmt.Sprintf("no release of the last term of %s is on record: it is held for %s before the work begins, in case that still writes",
		fence.Quote(e.name), e.delay)
}
