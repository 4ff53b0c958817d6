package guard

import (
	"errors"

	"github.com/ringfence-go/ringfence/fence"
)

// What a guard's error matches when there is no verdict about the write. A
// refusal is never one of them: it matches fence.ErrRefused.
var (
	// ErrUnknown: the write may or may not be applied. Resend the same token, seq
	// and key before anything else.
	ErrUnknown = errors.New("outcome unknown")
	// ErrRetry: the destination gave the transaction up for a reason of its own,
	// a conflict or a deadlock or a lock that was busy. Nothing is applied. Run
	// the whole transaction again.
	ErrRetry = errors.New("retry the transaction")
	// ErrUnavailable: the destination failed or could not be asked, and nothing is applied.
	ErrUnavailable = errors.New("destination unavailable")
	// ErrUnfit: the destination answers but can't be guarded as it is: its tables
	// are missing or the role has no right to them. The text says what to do.
	ErrUnfit = errors.New("destination unfit")
)

// Error is the failure of a guarded step: Kind is one of the sentinels above,
// Err what the destination's client said.
type Error struct {
	Kind     error
	Resource string
	Fence    fence.Fence
	Err      error
	Hint     string // what to do, where that is known
}

func (e *Error) Error() string {
	s := fence.Quote(e.Resource) + ": write of " + fence.Quote(e.Fence.Name) + " with token " + e.Fence.Token.String() + ": " + e.Kind.Error()
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// Unwrap leads both to the sentinel and to the client's own error.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// Verdict is the verdict that goes with e: Unknown for ErrUnknown, otherwise
// Unavailable, since nothing is applied.
func (e *Error) Verdict() fence.Verdict {
	v := fence.Verdict{Outcome: fence.Unavailable, Resource: e.Resource, Fence: e.Fence}
	if errors.Is(e.Kind, ErrUnknown) {
		v.Outcome = fence.Unknown
	}
	return v
}
