package election

import (
	"context"
	"errors"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// Resource is something that a leader writes to. The guards of this project are
// resources; a [ResourceFunc] makes one of those whose Establish takes more.
type Resource interface {
	// Establish begins a term at the resource: nothing older is admitted from then on.
	// It may be called again for the same fence.
	Establish(ctx context.Context, f fence.Fence) (fence.Verdict, error)
}

// ResourceFunc is a Resource that is one function.
type ResourceFunc func(ctx context.Context, f fence.Fence) (fence.Verdict, error)

// Establish calls fn.
func (fn ResourceFunc) Establish(ctx context.Context, f fence.Fence) (fence.Verdict, error) {
	return fn(ctx, f)
}

// unready says that a term was given back since a resource could not be established.
type unready struct{ err error }

func (u *unready) Error() string { return "establish the term before the work: " + u.err.Error() }
func (u *unready) Unwrap() error { return u.err }

// mayMend tells an outage, or a newer term, from a fault that another try meets again.
func (u *unready) mayMend() bool {
	if refused, ok := errors.AsType[*fence.RefusedError](u.err); ok {
		return refused.Verdict.Cause == fence.Superseded
	}
	return !errors.Is(u.err, fence.ErrInvalid) && !errors.Is(u.err, guard.ErrUnfit)
}

// establish begins the term at each resource, in the time of one lease.
func (c *candidate) establish(ctx context.Context, t *Term) error {
	ctx, cancel := context.WithTimeout(ctx, c.work.Lease)
	defer cancel()
	for _, r := range c.Resources {
		_, err := r.Establish(ctx, t.Fence())
		for errors.Is(err, guard.ErrRetry) && pause(ctx, retryPause) {
			_, err = r.Establish(ctx, t.Fence())
		}
		if err != nil {
			c.OnEvent(Event{Kind: EventPassed, Fence: t.Fence(), Err: err, Cause: context.Cause(ctx)})
			return err
		}
	}
	return nil
}

// retryPause lies between two tries of a step that its destination asked to repeat.
const retryPause = 25 * time.Millisecond
