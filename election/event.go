package election

import "github.com/ringfence-go/ringfence/fence"

// EventKind says what happened to a candidate.
type EventKind string

// The events, in the order in which a term meets them. What happens to the lease behind
// it (renewals, a loss, the release) is told to ringfence.Options.OnEvent.
const (
	EventCampaigning EventKind = "campaigning" // it asks for the name from now on, for as long as it takes
	EventPassed      EventKind = "passed"      // it was elected, and gave the term back: a resource could not be established, as Err says
	EventStarted     EventKind = "started"     // the work begins
	EventOverdue     EventKind = "overdue"     // the lease has run out and the work goes on: it may run beside another leader's
	EventStopped     EventKind = "stopped"     // the work has returned; the release follows
	EventLost        EventKind = "lost"        // the term had ended before the work returned; Err is the *ringfence.LostError
)

// Event is one thing that happened to a candidate.
type Event struct {
	Kind  EventKind
	Fence fence.Fence // the token is 0 before there is a term
	Err   error       // what the work returned, how the term was lost, or why a resource could not be established
	Cause error       // why the work's context had ended; nil where it had not
}
