package ringfence

import (
	"time"

	"github.com/ringfence-go/ringfence/fence"
)

// EventKind says what happened to a lease.
type EventKind string

// The events, in the order in which a term meets them.
const (
	EventWaiting     EventKind = "waiting"        // the name is held or the store is down; Err says which
	EventGranted     EventKind = "granted"        //
	EventRenewed     EventKind = "renewed"        //
	EventRenewFailed EventKind = "renew_failed"   // it will be tried again while trust lasts
	EventLost        EventKind = "lost"           // trust ended before the release; Err is the *EndedError
	EventReleased    EventKind = "released"       //
	EventUntold      EventKind = "release_untold" // the release did not get through; Until is when the name frees itself
	EventReclaimed   EventKind = "reclaimed"      // what an unanswered acquire had been granted was given back
	EventSkipped     EventKind = "skipped"        // the work was not run, as Work asks; Err says why
	EventUnfenced    EventKind = "unfenced"       // the work runs without a lease, as Work asks; Err says why
)

// Event is one thing that happened to a lease.
type Event struct {
	Kind  EventKind
	Fence fence.Fence // the token is 0 where there is no grant
	Err   error
	Until time.Time // trust in the term, or the end of an untold lease
}
