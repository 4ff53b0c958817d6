package ringfence

import (
	"errors"
	"time"

	"github.com/ringfence-go/ringfence/fence"
)

// EventKind says what happened to a lease.
type EventKind string

// The events, in the order in which a term meets them.
const (
	EventWaiting     EventKind = "waiting"        // the name is held, the store is down, or Kind.DelayAfterExpiry has to pass; Err says which
	EventGranted     EventKind = "granted"        //
	EventRenewed     EventKind = "renewed"        //
	EventRenewFailed EventKind = "renew_failed"   // it will be tried again while trust lasts
	EventLost        EventKind = "lost"           // trust ended before the release; Err is the *EndedError
	EventReleased    EventKind = "released"       // Until is when the name frees itself, where Hold.MinHold keeps it
	EventUntold      EventKind = "release_untold" // the release did not get through; Until is when the name frees itself
	EventSuspect     EventKind = "suspect"        // the work was still running when its lease ended; Err is the *LostError
	EventReclaimed   EventKind = "reclaimed"      // a grant under which nobody has worked was given back, was over by then, or is left to end by itself
	EventSkipped     EventKind = "skipped"        // the work was not run, as Work asks; Err says why
	EventUnfenced    EventKind = "unfenced"       // the work runs without a lease, as Work asks; Err says why
)

// Event is one thing that happened to a lease.
type Event struct {
	Kind   EventKind
	Fence  fence.Fence // the token is 0 where there is no grant
	Holder string      // the label of a granted term
	Err    error
	Until  time.Time // trust in the term, or the end of an untold lease
	// Waited is how long a grant took from the call that asked for it on.
	Waited time.Duration
}

// Reason is why, in one word, and "" where there is no error. [EventKind.Reasons]
// lists the words. Nothing in them tells a name.
func (e Event) Reason() string {
	ended, isEnded := errors.AsType[*EndedError](e.Err)
	_, isUnsettled := errors.AsType[*unsettledError](e.Err)
	lost, isLost := errors.AsType[*LostError](e.Err)
	switch {
	case e.Err == nil:
		return ""
	case isLost:
		return string(lost.Cause)
	case isEnded:
		return string(ended.Cause)
	case errors.Is(e.Err, ErrHeld):
		return "held"
	case isUnsettled:
		return "delay"
	case errors.Is(e.Err, ErrFull):
		return "full"
	case errors.Is(e.Err, ErrUnavailable):
		return "unavailable"
	case errors.Is(e.Err, ErrUnfit):
		return "unfit"
	}
	return "unknown"
}

// EventKinds lists every kind, in the order in which a term meets them.
func EventKinds() []EventKind {
	return []EventKind{
		EventWaiting, EventGranted, EventRenewed, EventRenewFailed, EventLost,
		EventReleased, EventUntold, EventSuspect, EventReclaimed, EventSkipped, EventUnfenced,
	}
}

// Reasons lists every [Event.Reason] of events of this kind, for counters that begin
// at zero.
func (k EventKind) Reasons() []string {
	switch k {
	case EventWaiting:
		return []string{"held", "delay", "unavailable", "unknown"}
	case EventSkipped:
		return []string{"held", "full", "unavailable", "unknown"}
	case EventRenewFailed, EventUntold:
		return []string{"unavailable", "unfit", "unknown"}
	case EventUnfenced:
		return []string{"unavailable", "unknown"}
	case EventLost, EventSuspect:
		return []string{string(EndExpired), string(EndSuperseded), string(EndReleased), string(EndForced), string(EndUnreachable)}
	}
	return []string{""}
}
