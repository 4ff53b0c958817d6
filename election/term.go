package election

import (
	"context"
	"errors"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// ErrResigned is the cause of a context that ended because its leader resigned.
var ErrResigned = errors.New("the leader has resigned")

// Term is one term of a leader. Its methods may be called by many goroutines at once,
// also by others than the work.
type Term struct {
	lease *ringfence.Lease
	end   context.CancelCauseFunc // of the work's context, and so of the renewals
}

// Fence is what every write of this term carries.
func (t *Term) Fence() fence.Fence { return t.lease.Fence() }

// Lease is the lease behind the term. Leave its release to [Run].
func (t *Term) Lease() *ringfence.Lease { return t.lease }

// Resign ends the work's context with the cause [ErrResigned]. The term is given up when
// the work has returned, and its candidate holds back for Candidacy.Pause before it
// campaigns again.
func (t *Term) Resign() { t.end(ErrResigned) }

// Write makes one write of this term. It calls write with the fence and the key of the
// write filled in, which passes them to a guard; under guard.Sequenced it adds the
// number. Where the guard says that the term is over, the work's context ends: [Term.Heed].
func (t *Term) Write(
	ctx context.Context, key string, write func(ctx context.Context, w guard.Write) (fence.Verdict, error),
) (fence.Verdict, error) {
	v, err := write(ctx, guard.Write{Fence: t.Fence(), Key: key})
	return v, t.Heed(err)
}

// Heed returns err, the outcome of a guarded write of this term. Where it says that the
// resource has seen a newer term, or that this one has lapsed, it ends the work's context:
// refused means stop.
func (t *Term) Heed(err error) error {
	if cause := t.refusal(err); cause != "" {
		t.end(&ringfence.EndedError{Fence: t.Fence(), Cause: cause})
	}
	return err
}

// refusal is how the term has ended, if err is a refusal that says so.
func (t *Term) refusal(err error) ringfence.EndCause {
	refused, ok := errors.AsType[*fence.RefusedError](err)
	switch {
	case !ok || refused.Verdict.Fence != t.Fence():
		return ""
	case refused.Verdict.Cause == fence.Superseded:
		return ringfence.EndSuperseded
	case refused.Verdict.Cause == fence.Lapsed:
		return ringfence.EndExpired
	}
	return ""
}
