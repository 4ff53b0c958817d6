package journal

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ringfence-go/ringfence/fence"
)

// Kind says what happened.
type Kind string

// The kinds of events, in the order in which a term meets them.
const (
	Granted     Kind = "granted"        // a term began; Until is the end of its holder's trust
	Unfenced    Kind = "unfenced"       // work runs without a term, as it asked to; no token
	RenewedLate Kind = "renewed_late"   // a renewal succeeded after one that had failed; Until moved on
	Refused     Kind = "refused"        // a guard refused a write; Cause and Resource
	Expired     Kind = "expired"        // trust ran out before the work was over; Cause tells a store out of reach
	Superseded  Kind = "superseded"     // the holder learned that the name had been granted again
	Forced      Kind = "forced"         // an operator ended the term, By; or its holder learned so
	Ended       Kind = "ended"          // the work is over; Detail says how
	Released    Kind = "released"       // the name was given back
	Untold      Kind = "release_untold" // the release did not get through; the name stays held until Until
	Suspect     Kind = "suspect"        // the lease ended before the work said that it was done
	Resolved    Kind = "resolved"       // somebody looked into a suspect: By and Detail say who and how
	Recovered   Kind = "recovered"      // the store's floor was raised to Token, By; of no one name
	Gap         Kind = "gap"            // Lost events from At to Until are missing
)

// Limits of an event, in bytes.
const (
	MaxTextBytes   = 256  // of an id, a holder, a cause, and who did it
	MaxDetailBytes = 1024 // of a resource and of a detail
)

// Event is one thing that happened. A [Recorder] fills in ID and At.
type Event struct {
	// ID is random. An event that was appended twice, because the answer to the first
	// try was lost, has one ID.
	ID   string `json:"id,omitempty"`
	Kind Kind   `json:"kind"`
	// Name is the lease's; empty for what concerns the whole store.
	Name   string      `json:"name,omitempty"`
	Token  fence.Token `json:"token,omitzero"`
	Holder string      `json:"holder,omitempty"`
	// At is when it happened: on the clock of this process when it is appended, and
	// on the journal's when it is read. A journal with a clock of its own converts At
	// and Until by how long ago they were, so that no clock of a caller enters.
	At       time.Time `json:"at"`
	Until    time.Time `json:"until,omitzero"`
	Cause    string    `json:"cause,omitempty"`    // of a refusal as in fence.Cause, of an end as in driver.EndCause
	Resource string    `json:"resource,omitempty"` // where a write was refused
	By       string    `json:"by,omitempty"`       // who broke, resolved or recovered
	Detail   string    `json:"detail,omitempty"`   // for people: the command, its status, how it was resolved
	Lost     int       `json:"lost,omitempty"`     // of a gap: how many events
}

// OfVerdict is the event of a refused write, without a time; any other verdict is none.
func OfVerdict(v fence.Verdict) (e Event, refused bool) {
	if v.Outcome != fence.Refused {
		return Event{}, false
	}
	e = Event{Kind: Refused, Name: v.Fence.Name, Token: v.Fence.Token, Cause: v.Cause.String(), Resource: v.Resource}
	if v.Mark != 0 {
		e.Detail = "the mark is " + v.Mark.String()
	}
	if v.Fence.Check() != nil { // of no lease: an invented one
		e.Name, e.Token = "", 0
	}
	return e, true
}

// Check reports why e can't be kept, or nil. Every journal calls it first in Append.
func (e Event) Check() error {
	switch {
	case e.Kind == "" || len(e.Kind) > MaxTextBytes:
		return fmt.Errorf("%w event: its kind is %s", fence.ErrInvalid, fence.Quote(string(e.Kind)))
	case e.At.IsZero():
		return fmt.Errorf("%w %s event: it has no time", fence.ErrInvalid, e.Kind)
	case e.Token != 0 && !e.Token.Valid():
		return fmt.Errorf("%w %s event: its token is %d", fence.ErrInvalid, e.Kind, int64(e.Token))
	}
	if e.Name != "" {
		if err := fence.CheckName(e.Name); err != nil {
			return err
		}
	}
	for _, f := range e.texts() {
		if len(*f.text) > f.most || !utf8.ValidString(*f.text) || strings.ContainsFunc(*f.text, unicode.IsControl) {
			return fmt.Errorf("%w %s event: its %s is %s; want at most %d bytes of UTF-8 without control characters",
				fence.ErrInvalid, e.Kind, f.what, fence.Quote(*f.text), f.most)
		}
	}
	return nil
}

// fit cuts and cleans the texts of e, so that no event is lost for an odd one.
func (e *Event) fit() {
	for _, f := range e.texts() {
		*f.text = clean(*f.text, f.most)
	}
}

type text struct {
	what string
	text *string
	most int
}

// texts is an array, which keeps events off the heap.
func (e *Event) texts() [6]text {
	return [...]text{
		{"id", &e.ID, MaxTextBytes}, {"holder", &e.Holder, MaxTextBytes}, {"cause", &e.Cause, MaxTextBytes}, {"by", &e.By, MaxTextBytes},
		{"resource", &e.Resource, MaxDetailBytes}, {"detail", &e.Detail, MaxDetailBytes},
	}
}

func clean(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r // also what stands for bad UTF-8
	}, s)
	if len(s) <= most {
		return s
	}
	const cut = "..."
	s = s[:most-len(cut)]
	for !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s + cut
}
