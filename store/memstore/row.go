package memstore

import (
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// row is the last term of a name. It stays when the term is over, so that the
// term's owner can be told how it ended and the next token is above it.
type row struct {
	fence.Fence
	attempt, holder  string
	granted, expires time.Time
	cause            driver.EndCause // how the term was ended before it ran out; or empty
	endedAt          time.Time
	endedBy          string
}

// over reports whether the term is over at now, and how it ended. A lease that
// expires at now is over.
func (r *row) over(now time.Time) (driver.EndCause, bool) {
	switch {
	case r.cause != "":
		return r.cause, true
	case !now.Before(r.expires):
		return driver.EndExpired, true
	}
	return "", false
}

// overFor is how long the term has been over; less than 0 while it lasts.
func (r *row) overFor(now time.Time) time.Duration {
	if r.cause != "" {
		return now.Sub(r.endedAt)
	}
	return now.Sub(r.expires)
}

func (r *row) end(cause driver.EndCause, by string, now time.Time) {
	r.cause, r.endedBy, r.endedAt = cause, by, now
}

func (r *row) term(now time.Time) driver.Term {
	left := r.expires.Sub(now).Truncate(properties.Resolution)
	return driver.Term{Fence: r.Fence, Attempt: r.attempt, Remaining: left}
}

func (m *shared) held(r *row, attempt string, now time.Time) error {
	return &driver.HeldError{
		Name: r.Name, Holder: r.holder, Token: r.Token, Remaining: r.expires.Sub(now),
		Ahead: len(m.ahead(r.Name, attempt, now)),
	}
}

// record is what anybody may see of a name.
func (m *shared) record(name string, now time.Time) driver.Record {
	r := m.rows[name]
	if r == nil {
		return driver.Record{Name: name, State: driver.Free}
	}
	seen := driver.Record{
		Name:      name,
		State:     driver.Held,
		Token:     r.Token,
		Holder:    r.holder,
		GrantedAt: r.granted.Round(0), // wall time only: a record may leave the process
		ExpiresAt: r.expires.Round(0),
		EndedBy:   r.endedBy,
	}
	if cause, over := r.over(now); over {
		seen.State = driver.State(cause)
	} else {
		seen.Remaining = r.expires.Sub(now)
	}
	return seen
}

func ended(f fence.Fence, cause driver.EndCause) error {
	return &driver.EndedError{Fence: f, Cause: cause}
}
