package history

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
)

// Account is what a record shows of a moment, in sentences.
type Account struct {
	At    time.Time `json:"at"`
	Terms []Term    `json:"terms"` // those at work then, and those they overlapped with
	Says  []string  `json:"says"`
	// Change is what to do so that it doesn't happen again; empty where nothing did.
	Change []string `json:"change,omitempty"`
}

// Explain tells what the record shows of one moment.
func (h History) Explain(at time.Time) Account {
	a := Account{At: at}
	active := h.active(at)
	overlaps := h.involving(active)
	terms := slices.Clone(active)
	for _, o := range overlaps {
		for _, t := range []*Term{o.Older, o.Newer} {
			if !slices.Contains(terms, t) {
				terms = append(terms, t)
			}
		}
	}
	slices.SortFunc(terms, func(a, b *Term) int { return a.First().Compare(b.First()) })
	a.say("At %s UTC %s of %s %s at work.", at.UTC().Format(layout), count(len(active), "run", "runs"), fence.Quote(h.Name), plural(len(active), "was", "were"))
	if len(active) == 0 {
		a.around(h, at)
	}
	for _, t := range terms {
		a.Terms = append(a.Terms, *t)
		a.term(t)
	}
	a.overlaps(terms, overlaps)
	a.refusals(terms)
	a.others(h, terms, at)
	a.advise(terms, overlaps, h.Other)
	return a
}

func (a *Account) say(format string, args ...any) {
	a.Says = append(a.Says, fmt.Sprintf(format, args...))
}

// active are the terms whose work may have been going on.
func (h History) active(at time.Time) (found []*Term) {
	for i := range h.Terms {
		t := &h.Terms[i]
		end := t.WorkEnd()
		if end.IsZero() {
			end = t.Last()
		}
		if !t.First().After(at) && !end.Before(at) {
			found = append(found, t)
		}
	}
	return found
}

func (h History) involving(terms []*Term) (found []Overlap) {
	for _, o := range h.Overlaps() {
		if slices.Contains(terms, o.Older) || slices.Contains(terms, o.Newer) {
			found = append(found, o)
		}
	}
	return found
}

// around tells of the terms before and after a moment at which there was none.
func (a *Account) around(h History, at time.Time) {
	var before, after *Term
	for i := range h.Terms {
		t := &h.Terms[i]
		if t.First().Before(at) && (before == nil || t.First().After(before.First())) {
			before = t
		}
		if t.First().After(at) && (after == nil || t.First().Before(after.First())) {
			after = t
		}
	}
	if before != nil {
		a.say("The last one before: %s.", a.sentence(before))
	}
	if after != nil {
		a.say("The next one: %s.", a.sentence(after))
	}
	if before == nil && after == nil {
		a.say("There is no term of it on record.")
	}
}

func (a *Account) term(t *Term) {
	a.say("%s.", capital(a.sentence(t)))
	if t.Suspect != nil {
		a.say("Its work is suspect: %s.%s", t.Suspect.Why, a.resolution(t.Suspect))
	}
}

func (a *Account) resolution(s *Suspicion) string {
	if s.Resolved == nil {
		return " Nobody has resolved that yet."
	}
	return fmt.Sprintf(" %s resolved that at %s: %s.", s.Resolved.By, a.stamp(s.Resolved.At), s.Resolved.Detail)
}

// sentence is one term in words.
func (a *Account) sentence(t *Term) string {
	said := "token " + t.Token.String()
	if t.Holder != "" {
		said += " of " + fence.Quote(t.Holder)
	}
	said += parenthesis(t.Work)
	if t.Granted.IsZero() {
		said += " was granted before what is on record"
	} else {
		said += " was granted at " + a.stamp(t.Granted)
	}
	parts := []string{said}
	add := func(at time.Time, format string, args ...any) {
		if !at.IsZero() {
			parts = append(parts, fmt.Sprintf(format, args...)+" "+a.stamp(at))
		}
	}
	if t.Free.IsZero() {
		add(t.Trusted, "was trusted by its holder until")
	}
	add(t.Broken, "was ended by force by %s at", fence.Quote(t.By))
	add(t.Lost, "was known to its holder to be over (%s) at", t.Cause)
	if !t.Done.IsZero() {
		add(t.Done, "its work was over%s at", parenthesis(t.Status))
	}
	add(t.Free, "was released at")
	if t.Untold {
		parts = append(parts, "its release did not get through")
	}
	if t.WorkEnd().IsZero() {
		parts = append(parts, "nothing on record says when its work was over")
	}
	return strings.Join(parts, "; ")
}

func parenthesis(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

func (a *Account) overlaps(terms []*Term, overlaps []Overlap) {
	for _, o := range overlaps {
		pair := fmt.Sprintf("token %s and token %s", o.Older.Token, o.Newer.Token)
		if o.Perhaps {
			a.say("Whether the work of %s overlapped can't be told: the older one never said when it was over. From %s on it may have.", pair, a.stamp(o.From))
			continue
		}
		a.say("The work of %s overlapped for %s, from %s to %s.", pair, span(o.To.Sub(o.From)), a.stamp(o.From), a.stamp(o.To))
	}
	if len(overlaps) == 0 && len(terms) > 0 {
		a.say("No work of another term overlapped with it, as far as the record shows.")
	}
}

func (a *Account) refusals(terms []*Term) {
	total := 0
	for _, t := range terms {
		if len(t.Refused) == 0 {
			continue
		}
		total += len(t.Refused)
		first := t.Refused[0]
		a.say("%s of token %s %s refused, the first at %s by %s (%s).",
			capital(count(len(t.Refused), "write", "writes")), t.Token, plural(len(t.Refused), "was", "were"), a.stamp(first.At), fence.Quote(first.Resource), first.Cause)
	}
	if total == 0 && len(terms) > 0 {
		a.say("No refused write is on record. Only guards that report to this journal are.")
	}
}

// others tells of gaps and of work without a lease, around the terms.
func (a *Account) others(h History, terms []*Term, at time.Time) {
	from, to := at, at
	for _, t := range terms {
		if t.First().Before(from) {
			from = t.First()
		}
		if t.Last().After(to) {
			to = t.Last()
		}
	}
	for _, e := range h.Other {
		switch {
		case e.Kind == journal.Gap && !e.Until.Before(from) && !e.At.After(to):
			a.say("%s of that time are missing from the record, from %s to %s.", capital(count(e.Lost, "event", "events")), a.stamp(e.At), a.stamp(e.Until))
		case e.Kind == journal.Unfenced && !e.At.Before(from.Add(-time.Hour)) && !e.At.After(to):
			a.say("At %s a run began UNFENCED, without lease and token: the store was down, and it had been told to go on.", a.stamp(e.At))
		}
	}
}

const layout = "2006-01-02 15:04:05.000"

// stamp is a time, with its day where that is another than the one explained.
func (a *Account) stamp(t time.Time) string {
	const day = "2006-01-02 "
	t = t.UTC()
	if t.Format(day) == a.At.UTC().Format(day) {
		return t.Format(strings.TrimPrefix(layout, day))
	}
	return t.Format(layout)
}

// span renders a duration: to the second, or finer when it is under ten of them.
func span(d time.Duration) string {
	if d < 10*time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

func plural(n int, one, many string) string {
	if n > 1 {
		return many
	}
	return one
}

func count(n int, one, many string) string {
	switch n {
	case 0:
		return "no " + one
	case 1:
		return "one " + one
	case 2:
		return "two " + many
	}
	return fmt.Sprintf("%d %s", n, many)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
