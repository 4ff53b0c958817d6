package guard

import (
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence/fence"
)

// Door is where a fence comes in as text, from a writer that may have made it up: in a
// message, in a request, in the environment of a program. It stands before a guard of
// any kind, and what it refuses has touched no mark:
//
//	f, err := door.Pass("account/17", received.Fence, received.Signature)
//	if err != nil {
//		return err // refused, and counted
//	}
//	verdict, err := account.InTx(ctx, db, guard.Write{Fence: f, Key: received.ID}, apply)
//
// It is no guard itself: a fence that passes is one that its authority vouches for, and
// may be stale.
type Door struct {
	// Keys are those whose signatures count. Defaults to none: fences need no signature.
	Keys *fence.Keyring
	// Lease is the name of the only lease whose fences count. Defaults to any.
	Lease string
	// Counter counts what is refused here. Defaults to none.
	Counter *Counter
	// Clock is the resource's own. Defaults to time.Now.
	Clock func() time.Time
}

// Pass reads the fence that a write to resource came with, and its signature, "" where
// it has none. The error is a *fence.RefusedError: Invalid for what is no fence, one of
// another lease, or one that the keys have not signed for this audience and time, and
// Future for a token that no authority can have issued yet.
func (d Door) Pass(resource, text, signature string) (fence.Fence, error) {
	now := time.Now()
	if d.Clock != nil {
		now = d.Clock()
	}
	f, err := fence.Parse(text)
	cause := fence.Invalid
	if err == nil {
		cause, err = d.look(f, signature, now)
	}
	if err != nil {
		return fence.Fence{}, d.Refuse(resource, f, cause, err)
	}
	return f, nil
}

// Refuse counts a refusal and returns its error, for what else is wrong with what came
// with f, such as a bad seq.
func (d Door) Refuse(resource string, f fence.Fence, c fence.Cause, reason error) error {
	v := refuse(Mark{}, f, c)
	v.Resource = resource
	d.Counter.Count(v)
	return &fence.RefusedError{Verdict: v, Err: reason}
}

// look says what is wrong with a fence, the cheapest to find out first.
func (d Door) look(f fence.Fence, signature string, now time.Time) (fence.Cause, error) {
	if d.Lease != "" && f.Name != d.Lease {
		return fence.Invalid, fmt.Errorf("%w fence: want one of the lease %s", fence.ErrInvalid, fence.Quote(d.Lease))
	}
	if d.Keys != nil {
		if _, err := d.Keys.Verify(f, signature, now); err != nil {
			return fence.Invalid, err
		}
	}
	if f.Token > fence.FutureLimit(fence.TickOf(now)) {
		return fence.Future, fmt.Errorf("%w fence: its token belongs to %s, more than a day from now", fence.ErrInvalid, f.Token.Time().Format(time.RFC3339))
	}
	return fence.NoCause, nil
}
