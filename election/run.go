package election

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Run stands for election to name until ctx ends, and calls lead with each term that it
// wins. It waits for as long as another leads.
//
// lead must return soon after its context ends: a goroutine can't be stopped from outside.
// context.Cause says why it ended: an *ringfence.EndedError, [ErrResigned], or the cause
// of ctx. Every write of lead carries the fence of its term.
//
// When the term ended before lead returned, or somebody resigned, Run campaigns again,
// whatever lead returned; an event tells that. When lead returns by itself, the term is
// released and Run returns what lead did. When ctx ends, Run returns what lead did, or
// the cause of ctx where it was not leading. With Candidacy.Once it returns after the
// first term in any case; where that ended before lead returned, with a
// *ringfence.LostError.
func Run(
	ctx context.Context, l *ringfence.Locker, name string, c Candidacy, lead func(ctx context.Context, term *Term) error,
) error {
	c, work, err := c.withDefaults()
	if err != nil {
		return err
	}
	run := &candidate{Candidacy: c, l: l, name: name, work: work, lead: lead}
	for {
		run.OnEvent(Event{Kind: EventCampaigning, Fence: fence.Fence{Name: name}})
		next, err := run.stand(ctx)
		switch {
		case ctx.Err() != nil && !next.led:
			return context.Cause(ctx)
		case !next.again || ctx.Err() != nil || c.Once && next.led:
			return err
		case next.holdsBack && !pause(ctx, c.Pause):
			return context.Cause(ctx)
		}
	}
}

type candidate struct {
	Candidacy
	l    *ringfence.Locker
	name string
	work ringfence.Work
	lead func(ctx context.Context, term *Term) error
}

// next is what follows one campaign.
type next struct {
	led       bool // the work was begun
	again     bool
	holdsBack bool // so that another is elected first
}

// stand waits for one term and works it.
func (c *candidate) stand(ctx context.Context) (next, error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	var t *Term // once it is elected
	led := false
	serve := func(ctx context.Context, lease *ringfence.Lease) error {
		t = &Term{lease: lease, end: end}
		if err := c.establish(ctx, t); err != nil {
			return &unready{err}
		}
		led = true
		return c.serve(ctx, t)
	}
	work := c.work
	err := ringfence.ErrHeld
	if c.Unavailable == Fail { // ask once, to know whether it answers
		err = c.l.Run(ctx, c.name, work, serve)
	}
	if t == nil && errors.Is(err, ringfence.ErrHeld) {
		work.Wait = driver.MaxTTL
		err = c.l.Run(ctx, c.name, work, serve)
	}
	if t == nil {
		return next{again: c.worthAsking(err)}, err
	}
	if lost := lostBy(err, t.Fence()); lost != nil && led {
		c.OnEvent(Event{Kind: EventLost, Fence: t.Fence(), Err: lost})
	}
	n := afterTerm(err, t.Fence(), context.Cause(ctx) == ErrResigned) //nolint:errorlint // the cause itself
	n.led = led
	return n, err
}

// worthAsking tells from what is the matter with the store whether to go on.
func (c *candidate) worthAsking(err error) bool {
	if errors.Is(err, ringfence.ErrHeld) { // for a month
		return true
	}
	return c.Unavailable == Wait && down(err)
}

func down(err error) bool {
	return errors.Is(err, ringfence.ErrUnavailable) || errors.Is(err, ringfence.ErrUnknown)
}

// lostBy is how the term of f was lost, if err says that it was.
func lostBy(err error, f fence.Fence) *ringfence.LostError {
	if lost, ok := errors.AsType[*ringfence.LostError](err); ok && lost.Fence == f {
		return lost
	}
	return nil
}

// afterTerm says what follows the outcome of a term.
func afterTerm(err error, f fence.Fence, resigned bool) next {
	lost := lostBy(err, f)
	missing, isUnready := errors.AsType[*unready](err)
	switch {
	case resigned:
		return next{again: true, holdsBack: true}
	case lost != nil: // where it was taken away, another has its turn
		return next{again: true, holdsBack: lost.Cause == ringfence.EndForced || lost.Cause == ringfence.EndSuperseded}
	case isUnready:
		return next{again: missing.mayMend(), holdsBack: true}
	}
	return next{}
}

// serve calls lead between the events that say so.
func (c *candidate) serve(ctx context.Context, t *Term) (err error) {
	c.OnEvent(Event{Kind: EventStarted, Fence: t.Fence()})
	returned := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		if outlives(ctx, t.lease, returned) {
			c.OnEvent(Event{Kind: EventOverdue, Fence: t.Fence(), Cause: context.Cause(ctx)})
		}
	})
	err = errPanicked
	defer func() {
		close(returned)
		watch.Wait()
		c.OnEvent(Event{Kind: EventStopped, Fence: t.Fence(), Err: err, Cause: context.Cause(ctx)})
	}()
	err = t.Heed(c.lead(ctx, t))
	return err
}

// errPanicked is told of work that did not return.
var errPanicked = errors.New("the work has panicked")

// outlives reports whether the lease has run out and the work has not returned.
func outlives(ctx context.Context, lease *ringfence.Lease, returned <-chan struct{}) bool {
	select {
	case <-ctx.Done():
	case <-returned:
		return false
	}
	for {
		left := lease.Remaining()
		if left <= 0 {
			return true
		}
		select {
		case <-time.After(min(left, time.Second)): // the wall clock may jump
		case <-returned:
			return false
		}
	}
}

// pause waits for d, and reports whether ctx lasts.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
