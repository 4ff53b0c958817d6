package history

import (
	"fmt"
	"slices"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/journal"
)

// paused is how late a holder may notice the end of its trust before it counts as
// having been paused: a timer of its own ends at that moment.
const paused = 500 * time.Millisecond

// advise says what to change, each thing once.
func (a *Account) advise(terms []*Term, overlaps []Overlap, other []journal.Event) {
	for _, t := range terms {
		a.adviseOn(t)
	}
	guarded := slices.ContainsFunc(terms, func(t *Term) bool { return len(t.Refused) > 0 })
	switch {
	case len(overlaps) > 0 && !guarded:
		a.change("Guard what the job writes, so that the older run is refused where it writes: no lease can promise that two runs never meet. docs/guards says how for each kind of destination.")
	case len(overlaps) > 0:
		a.change("The guard refused what the older run wrote through it. Look at what the job writes elsewhere, without one.")
	}
	if slices.ContainsFunc(other, func(e journal.Event) bool { return e.Kind == journal.Unfenced && near(e.At, a.At) }) {
		a.change("Run with --if-unavailable fail or skip, unless two runs at once do less harm than none.")
	}
}

func near(at, moment time.Time) bool { return at.Sub(moment).Abs() < time.Hour }

func (a *Account) adviseOn(t *Term) {
	if t.RenewedLate > 0 {
		a.change("%s late while token %s was held: a longer lease rides out a longer outage of the store; renewals come at a third of it.",
			capital(count(t.RenewedLate, "renewal was", "renewals were")), t.Token)
	}
	if t.Suspect == nil {
		return
	}
	late := t.Lost.Sub(t.Trusted)
	switch {
	case !t.Broken.IsZero():
		a.change("The term of token %s was broken while its work ran: end the work first where it can be reached.", t.Token)
	case t.Suspect.Found && t.Lost.IsZero():
		a.change("The holder of token %s vanished without a word: it was killed, its machine went down, or it could not write here. Look at its machine's log of that time; the lease did what it could.", t.Token)
	case t.Cause == string(driver.EndUnreachable):
		a.change("The holder of token %s could not reach the store until its trust was over: a longer lease rides out a longer outage; look at the store and the network of that time.", t.Token)
	case !t.Trusted.IsZero() && late > paused:
		a.change("The holder of token %s noticed %s late that its trust was over: it was paused, or starved. A longer lease makes that rarer; only a guard makes it harmless.", t.Token, span(late))
	case !t.Granted.IsZero() && !t.Done.IsZero():
		a.change("The work of token %s took %s and its lease %s: give it a longer --timeout, or --renew, or make it stop in time.",
			t.Token, span(t.Done.Sub(t.Granted)), span(t.LeaseEnd().Sub(t.Granted)))
	}
}

func (a *Account) change(format string, args ...any) {
	said := fmt.Sprintf(format, args...)
	if !slices.Contains(a.Change, said) {
		a.Change = append(a.Change, said)
	}
}
