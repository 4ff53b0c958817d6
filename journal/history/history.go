package history

import (
	"cmp"
	"slices"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
)

// Term is one grant, as far as it is on record. Times that are not are zero.
type Term struct {
	Name   string      `json:"name"`
	Token  fence.Token `json:"token"`
	Holder string      `json:"holder,omitempty"`
	Work   string      `json:"work,omitempty"` // what was said of it when it began

	Granted time.Time `json:"granted,omitzero"`
	Trusted time.Time `json:"trusted_until,omitzero"` // until when its holder trusted it, as last heard
	Lost    time.Time `json:"lost,omitzero"`          // when the holder noticed that it was over
	Broken  time.Time `json:"broken,omitzero"`        // when an operator ended it
	Free    time.Time `json:"released,omitzero"`      // when it was given back
	Done    time.Time `json:"done,omitzero"`          // when the work was over
	Next    time.Time `json:"next_granted,omitzero"`  // when the name was granted again

	Cause       string `json:"cause,omitempty"`  // of the loss
	By          string `json:"by,omitempty"`     // who broke it
	Status      string `json:"status,omitempty"` // how the work ended
	Untold      bool   `json:"release_untold,omitempty"`
	RenewedLate int    `json:"renewed_late,omitempty"`

	Refused []journal.Event `json:"refused,omitempty"`
	Suspect *Suspicion      `json:"suspect,omitempty"`
}

// Suspicion is why the work of a term is suspect.
type Suspicion struct {
	At time.Time `json:"at"`
	// Found means that nobody wrote it down at the time: the record stops without an
	// end of the work, and the name went to somebody else.
	Found    bool           `json:"found,omitempty"`
	Why      string         `json:"why"`
	Resolved *journal.Event `json:"resolved,omitempty"`
}

// Open reports whether somebody has yet to look into it.
func (s *Suspicion) Open() bool { return s != nil && s.Resolved == nil }

// History is the account of one name.
type History struct {
	Name   string
	Terms  []Term          // by token
	Events []journal.Event // by time: all that the terms were made of, and what follows here
	Other  []journal.Event // of no term: gaps, work without a lease, what concerns the whole store
}

// Of makes the account of name from events of any order; those of other names are
// left out.
func Of(name string, events []journal.Event) History {
	h := History{Name: name}
	for _, e := range events {
		if e.Name == name || e.Name == "" {
			h.Events = append(h.Events, e)
		}
	}
	inOrder(h.Events)
	terms := map[fence.Token]*Term{}
	var order []*Term
	for _, e := range h.Events {
		if !termed(e) {
			h.Other = append(h.Other, e)
			continue
		}
		t := terms[e.Token]
		if t == nil {
			t = &Term{Name: name, Token: e.Token}
			terms[e.Token] = t
			order = append(order, t)
		}
		t.take(e)
	}
	slices.SortFunc(order, func(a, b *Term) int { return cmp.Compare(a.Token, b.Token) })
	next := time.Time{}
	for i := len(order) - 1; i >= 0; i-- {
		order[i].Next = next
		if !order[i].Granted.IsZero() {
			next = order[i].Granted
		}
		order[i].judge(h.Other)
	}
	for _, t := range order {
		h.Terms = append(h.Terms, *t)
	}
	return h
}

// kinds is the order of what happened in one moment.
var kinds = []journal.Kind{
	journal.Granted, journal.Unfenced, journal.RenewedLate, journal.Refused, journal.Forced, journal.Expired, journal.Superseded,
	journal.Ended, journal.Released, journal.Untold, journal.Suspect, journal.Resolved,
}

func rank(k journal.Kind) int { return slices.Index(kinds, k) }

// take adds an event to the term.
func (t *Term) take(e journal.Event) {
	t.Holder = cmp.Or(t.Holder, e.Holder)
	if e.Until.After(t.Trusted) && e.Kind != journal.Untold {
		t.Trusted = e.Until
	}
	switch e.Kind {
	case journal.Granted:
		t.Granted, t.Work = e.At, e.Detail
	case journal.RenewedLate:
		t.RenewedLate++
	case journal.Refused:
		t.Refused = append(t.Refused, e)
	case journal.Expired, journal.Superseded:
		t.Lost, t.Cause = e.At, cmp.Or(e.Cause, string(e.Kind))
	case journal.Forced:
		if e.By != "" {
			t.Broken, t.By = e.At, e.By
		} else {
			t.Lost, t.Cause = e.At, string(e.Kind)
		}
	case journal.Ended:
		t.Done, t.Status = e.At, e.Detail
	case journal.Released:
		t.Free = e.At
	case journal.Untold:
		t.Untold = true
	case journal.Suspect:
		t.Suspect = &Suspicion{At: e.At, Why: why(e.Cause), Resolved: resolved(t.Suspect)}
	case journal.Resolved:
		if t.Suspect == nil {
			t.Suspect = &Suspicion{At: e.At}
		}
		t.Suspect.Resolved = &e
	}
}

func resolved(s *Suspicion) *journal.Event {
	if s == nil {
		return nil
	}
	return s.Resolved
}

// LeaseEnd is when the lease was over in its holder's view, the earliest moment at
// which somebody else could hold the name.
func (t *Term) LeaseEnd() time.Time {
	end := t.Trusted
	for _, at := range []time.Time{t.Free, t.Broken} {
		if !at.IsZero() && (end.IsZero() || at.Before(end)) {
			end = at
		}
	}
	if end.IsZero() {
		end = t.Lost
	}
	return end
}

// WorkEnd is when the work was over: when it said so, or when its holder gave the
// name back. The store had the release before it granted the name again, whatever two
// programs' notes of that moment say.
func (t *Term) WorkEnd() time.Time {
	end := firstOf(t.Done, t.Free)
	if !t.Free.IsZero() && !t.Next.IsZero() && end.After(t.Next) {
		end = t.Next
	}
	return end
}

// Last is the last moment of the term that is on record.
func (t *Term) Last() time.Time {
	last := t.Granted
	for _, at := range []time.Time{t.LeaseEnd(), t.WorkEnd(), t.Lost} {
		if at.After(last) {
			last = at
		}
	}
	if n := len(t.Refused); n > 0 && t.Refused[n-1].At.After(last) {
		last = t.Refused[n-1].At
	}
	return last
}

// First is the first moment of the term that is on record.
func (t *Term) First() time.Time {
	if !t.Granted.IsZero() {
		return t.Granted
	}
	first := time.Time{}
	consider := func(at time.Time) {
		if !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	for _, at := range []time.Time{t.Lost, t.Broken, t.Free, t.Done} {
		consider(at)
	}
	for _, r := range t.Refused {
		consider(r.At)
	}
	if t.Suspect != nil {
		consider(t.Suspect.At)
	}
	return first
}
