package ringfence

import (
	"errors"
	"fmt"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// What an error of this package can match. The last three are added here; the
// others are the store's own words.
var (
	ErrHeld        = driver.ErrHeld        // somebody else holds the name, or is before the caller in its line: a *HeldError
	ErrFull        = driver.ErrFull        // as many wait for the name as may: a *FullError
	ErrEnded       = driver.ErrEnded       // the term is over: an *EndedError
	ErrUnknown     = driver.ErrUnknown     // sent, not answered
	ErrUnavailable = driver.ErrUnavailable // the store could not be asked
	ErrUnfit       = driver.ErrUnfit       // the store can't host leases as it is
	ErrClosed      = driver.ErrClosed      // this Locker or its store is closed
	ErrInvalid     = fence.ErrInvalid      // bad input; nothing was sent

	// ErrTimedOut is the cause of a context that ended because the work used up
	// its own timeout.
	ErrTimedOut = errors.New("the work used up its timeout")
	// ErrLost: the lease ended before the work did. Always a *LostError.
	ErrLost = errors.New("the lease ended before the work did")
)

// The errors that carry facts, and the causes of an end.
type (
	HeldError  = driver.HeldError
	FullError  = driver.FullError
	EndedError = driver.EndedError
	EndCause   = driver.EndCause
)

// How a term ends; context.Cause of a lease's context is an *EndedError with one of these.
const (
	EndExpired     = driver.EndExpired
	EndSuperseded  = driver.EndSuperseded
	EndReleased    = driver.EndReleased
	EndForced      = driver.EndForced
	EndUnreachable = driver.EndUnreachable
)

// Error is every error that this package returns from a step at the store: what
// was tried, where, on which name and token. It unwraps to the store's error,
// and so both to one of the sentinels and to the database client's own.
type Error struct {
	Op    string // acquire, renew, release, inspect, wait for
	Store string // as in driver.Properties
	Fence fence.Fence
	Err   error
}

func (e *Error) Error() string {
	s := e.Op + " " + fence.Quote(e.Fence.Name)
	if e.Fence.Token != 0 {
		s += " with token " + e.Fence.Token.String()
	}
	return s + " at " + e.Store + ": " + e.Err.Error()
}

// Unwrap leads to the store's error.
func (e *Error) Unwrap() error { return e.Err }

// LostError says that work went on, or had to stop, because its lease ended first.
type LostError struct {
	Fence fence.Fence
	Cause EndCause
	// Suspect means that the work had not returned when the lease ended: for a
	// while it may have run beside another holder. What it wrote without a guard
	// needs a look.
	Suspect bool
	Err     error // what the work returned
}

func (e *LostError) Error() string {
	s := fmt.Sprintf("the lease of %s with token %s ended before the work did: %s",
		fence.Quote(e.Fence.Name), e.Fence.Token, e.Cause)
	if e.Suspect {
		s += "; the work is suspect: it may have run beside another holder"
	}
	if e.Err != nil {
		s += "; the work said: " + e.Err.Error()
	}
	return s
}

// Unwrap leads to ErrLost and to the work's own error.
func (e *LostError) Unwrap() []error {
	if e.Err == nil {
		return []error{ErrLost}
	}
	return []error{ErrLost, e.Err}
}
