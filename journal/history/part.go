package history

import (
	"slices"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
)

// Part is the account of the last terms that reach into a time, at most limit of
// them, and whether there are earlier ones. Zero is no bound.
func (h History) Part(since, until time.Time, limit int) (part History, more bool) {
	part = History{Name: h.Name}
	for i := range h.Terms {
		t := &h.Terms[i]
		end := t.Last()
		if t.WorkEnd().IsZero() && t.Next.After(end) {
			end = t.Next
		}
		switch {
		case !since.IsZero() && end.Before(since):
			more = true
		case until.IsZero() || t.First().Before(until):
			part.Terms = append(part.Terms, *t)
		}
	}
	if n := len(part.Terms); limit > 0 && n > limit {
		part.Terms, more = part.Terms[n-limit:], true
	}
	from := since
	if more && len(part.Terms) > 0 && (from.IsZero() || part.Terms[0].First().Before(from)) {
		from = part.Terms[0].First()
	}
	within := func(e journal.Event) bool {
		return (from.IsZero() || !e.At.Before(from)) && (until.IsZero() || e.At.Before(until))
	}
	shown := map[fence.Token]bool{}
	for _, t := range part.Terms {
		shown[t.Token] = true
	}
	for _, e := range h.Events {
		if shown[e.Token] && e.Name != "" || !termed(e) && within(e) {
			part.Events = append(part.Events, e)
		}
	}
	part.Other = slices.Clone(h.Other)
	part.Other = slices.DeleteFunc(part.Other, func(e journal.Event) bool { return !within(e) })
	return part, more
}

// termed reports whether e belongs to a term.
func termed(e journal.Event) bool { return e.Name != "" && e.Token != 0 && e.Kind != journal.Gap }
