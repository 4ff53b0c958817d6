package driver

import (
	"errors"
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence/fence"
)

// The sentinels that a store's errors match; fence.ErrInvalid and ErrFull are two more.
var (
	// ErrHeld: somebody else holds the name, or is before the caller in its line. Always a *HeldError.
	ErrHeld = errors.New("held")
	// ErrEnded: the term is over. Always an *EndedError.
	ErrEnded = errors.New("the term is over")
	// ErrUnknown: the call may or may not have taken effect.
	ErrUnknown = errors.New("outcome unknown")
	// ErrUnavailable: the store could not be asked, and nothing was changed. It may mend by itself.
	ErrUnavailable = errors.New("store unavailable")
	// ErrUnfit: the store answers but can't host leases as it is, and will not
	// mend by itself: no rights, a newer schema, a corrupt file. The text says what to do.
	ErrUnfit = errors.New("store unfit")
	// ErrClosed: the store was closed by this process.
	ErrClosed = errors.New("store closed")
)

// HeldError refuses an acquire and says who is in the way.
type HeldError struct {
	Name      string
	Holder    string
	Token     fence.Token
	Remaining time.Duration // until the lease ends by itself, as the store sees it

	// Ahead is how many living waiters are served before the caller, where the store
	// is a Queue.
	Ahead int
	// Kept means that nobody holds the name: it is kept for the first of them, whose
	// label Holder is, and whose place lapses after Remaining unless it asks. Token is
	// that of the last term, 0 where there was none.
	Kept bool
}

func (e *HeldError) Error() string {
	if e.Kept {
		return fmt.Sprintf("%s is free and kept for %s, who is next of %d in line; that place lapses in %s unless its owner asks",
			fence.Quote(e.Name), fence.Quote(e.Holder), e.Ahead, e.Remaining.Round(time.Millisecond))
	}
	return fmt.Sprintf("%s is held by %s with token %s for another %s unless it is renewed or released",
		fence.Quote(e.Name), fence.Quote(e.Holder), e.Token, e.Remaining.Round(time.Millisecond))
}

// Unwrap makes errors.Is(err, ErrHeld) true.
func (e *HeldError) Unwrap() error { return ErrHeld }

// EndCause says how a term ended.
type EndCause string

// The ways in which a term ends. A store knows the first four; the last one is
// the holder's own view.
const (
	EndExpired     EndCause = "expired"     // it ran out, and nobody took the name since
	EndSuperseded  EndCause = "superseded"  // the name has been granted again, or its record is gone
	EndReleased    EndCause = "released"    // it was released
	EndForced      EndCause = "forced"      // an operator broke it
	EndUnreachable EndCause = "unreachable" // the store could not be reached until trust ran out
)

// EndedError refuses a step of a term that is over.
type EndedError struct {
	Fence fence.Fence
	Cause EndCause
}

func (e *EndedError) Error() string {
	return fmt.Sprintf("the term of %s with token %s is over: %s", fence.Quote(e.Fence.Name), e.Fence.Token, e.Cause)
}

// Unwrap makes errors.Is(err, ErrEnded) true.
func (e *EndedError) Unwrap() error { return ErrEnded }

// Fault is an error of the store itself: Kind is one of ErrUnknown,
// ErrUnavailable, ErrUnfit and ErrClosed, Err what the store's client said. The
// text of Err may hold an address, never a password: whoever builds a Fault
// redacts it.
type Fault struct {
	Kind error
	Err  error
	// Hint says what to do, where that is known.
	Hint string
}

func (e *Fault) Error() string {
	s := e.Kind.Error()
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// Unwrap leads both to the sentinel and to the client's own error.
func (e *Fault) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}
