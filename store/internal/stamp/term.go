// Package stamp is the model of a store that can't judge a lease within a write, but
// stamps the time of its own clock on each one. The record of a name then holds not
// the outcome of the last step but the step, and the term before it: the stamp of the
// write makes the outcome of it, for every reader the same.
package stamp

import (
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Stamp is what the store says of a write.
type Stamp struct {
	At time.Time
	// Unit is how much At may leave out. A term ends that much later than asked, so
	// that it is never short of it.
	Unit time.Duration
	// Revision is the store's number of the write, where a grant has to be told from
	// another one by it.
	Revision uint64
}

// Term is the last term of a name. It stays when it is over, so that its owner can be
// told how it ended and the next token is above it.
type Term struct {
	Token   fence.Token     `json:"token"`
	Attempt string          `json:"attempt"`
	Holder  string          `json:"holder"`
	Granted time.Time       `json:"granted"` // all times are the store's
	Expires time.Time       `json:"expires"`
	Cause   driver.EndCause `json:"ended,omitempty"` // how it was ended before it ran out
	EndedAt time.Time       `json:"ended_at,omitzero"`
	By      string          `json:"by,omitempty"`   // who forced the end
	Grant   uint64          `json:"grant,omitzero"` // the revision of the grant
}

// Over reports whether the term is over at the given time, and how it ended.
func (t *Term) Over(at time.Time) (driver.EndCause, bool) {
	switch {
	case t.Cause != "":
		return t.Cause, true
	case !at.Before(t.Expires):
		return driver.EndExpired, true
	}
	return "", false
}

// OverFor is how long the term has been over; less than 0 while it lasts.
func (t *Term) OverFor(at time.Time) time.Duration {
	if t.Cause != "" {
		return at.Sub(t.EndedAt)
	}
	return at.Sub(t.Expires)
}

// Left is how long the term lasts at least.
func (t *Term) Left(s Stamp) time.Duration { return max(t.Expires.Sub(s.At)-s.Unit, 0) }

// Is reports whether t is this very term; a nil one is none.
func (t *Term) Is(token fence.Token, attempt string) bool {
	return t != nil && t.Token == token && t.Attempt == attempt
}

// For is the term of a name as its owner gets it.
func (t *Term) For(name string, s Stamp) driver.Term {
	return driver.Term{Fence: fence.Fence{Name: name, Token: t.Token}, Attempt: t.Attempt, Remaining: t.Left(s)}
}
