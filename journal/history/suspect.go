package history

import (
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/journal"
)

// why says what is suspect about a term that ended for that cause.
func why(cause string) string {
	const still = "and the work was still running"
	switch driver.EndCause(cause) {
	case driver.EndSuperseded:
		return "the name had been granted again, " + still
	case driver.EndForced:
		return "the term was ended by force, " + still
	case driver.EndUnreachable:
		return "the store could not be reached until the lease had run out, " + still
	}
	return "the lease ran out, " + still
}

// judge finds what nobody wrote down: a term that is over, and whose work never said
// that it was. Other are the events of no term.
func (t *Term) judge(other []journal.Event) {
	over := !t.Next.IsZero() || !t.Broken.IsZero() || !t.Lost.IsZero()
	if t.Granted.IsZero() || !t.WorkEnd().IsZero() || t.Untold || !over {
		if t.Suspect != nil && t.Suspect.Why == "" { // resolved, but what it was is not on record any more
			t.Suspect.Why = "what was suspect is not on record any more"
		}
		return
	}
	if t.Suspect != nil && t.Suspect.Why != "" {
		return
	}
	s := Suspicion{At: firstOf(t.Broken, t.Lost, t.Next), Found: true, Resolved: resolved(t.Suspect)}
	switch {
	case !t.Broken.IsZero():
		s.Why = "it was ended by force, and its work never said that it was over"
	case !t.Lost.IsZero():
		s.Why = "its holder noticed that the lease was over, and its work never said that it was"
	default:
		s.Why = "the name was granted again, and its work never said that it was over"
	}
	if lostIn(other, t.Granted, t.Next) {
		s.Why += "; events of that time are missing, the end of the work may be one of them"
	}
	t.Suspect = &s
}

// firstOf is the first that is not zero.
func firstOf(times ...time.Time) time.Time {
	for _, at := range times {
		if !at.IsZero() {
			return at
		}
	}
	return time.Time{}
}

// lostIn reports whether a gap reaches into the time from one moment on to the other.
func lostIn(other []journal.Event, from, to time.Time) bool {
	for _, e := range other {
		if e.Kind == journal.Gap && !e.Until.Before(from) && (to.IsZero() || !e.At.After(to)) {
			return true
		}
	}
	return false
}

// Suspects are the terms of all names whose work is suspect, by time; those that are
// resolved too where all is set.
func Suspects(events []journal.Event, all bool) []Term {
	names := map[string]bool{}
	for _, e := range events {
		if e.Name != "" {
			names[e.Name] = true
		}
	}
	var found []Term
	for _, h := range each(names, events) {
		for _, t := range h.Terms {
			if t.Suspect.Open() || all && t.Suspect != nil {
				found = append(found, t)
			}
		}
	}
	sortByTime(found)
	return found
}
