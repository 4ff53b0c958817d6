package history

import (
	"cmp"
	"slices"
	"time"

	"github.com/ringfence-go/ringfence/journal"
)

// Overlap is a time in which two terms' work ran side by side.
type Overlap struct {
	Older, Newer *Term
	From, To     time.Time
	// Perhaps means that the older work never said when it was over: it may have run
	// beside the newer one, or may have been gone. To is then zero.
	Perhaps bool
}

// Overlaps are those of a name, in the order of their newer terms.
func (h History) Overlaps() []Overlap {
	var all []Overlap
	var open []*Term // whose work may go on
	for i := range h.Terms {
		newer := &h.Terms[i]
		if newer.Granted.IsZero() {
			continue
		}
		open = slices.DeleteFunc(open, func(t *Term) bool {
			end := t.WorkEnd()
			return !end.IsZero() && !end.After(newer.Granted)
		})
		for _, older := range open {
			all = append(all, between(older, newer))
		}
		open = slices.DeleteFunc(append(open, newer), func(t *Term) bool { // known to be gone, or told once
			return t != newer && t.WorkEnd().IsZero()
		})
	}
	return all
}

func between(older, newer *Term) Overlap {
	o := Overlap{Older: older, Newer: newer, From: newer.Granted, To: older.WorkEnd(), Perhaps: older.WorkEnd().IsZero()}
	if end := newer.WorkEnd(); !o.Perhaps && !end.IsZero() && end.Before(o.To) {
		o.To = end
	}
	return o
}

// each makes the account of each name, in byte order.
func each(names map[string]bool, events []journal.Event) []History {
	byName := map[string][]journal.Event{}
	for _, e := range events {
		byName[e.Name] = append(byName[e.Name], e)
	}
	sorted := make([]string, 0, len(names))
	for name := range names {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	all := make([]History, 0, len(sorted))
	for _, name := range sorted {
		all = append(all, Of(name, slices.Concat(byName[name], byName[""])))
	}
	return all
}

func sortByTime(terms []Term) {
	slices.SortStableFunc(terms, func(a, b Term) int {
		return cmp.Or(a.Suspect.At.Compare(b.Suspect.At), cmp.Compare(a.Token, b.Token))
	})
}
