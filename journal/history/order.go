package history

import (
	"cmp"
	"slices"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
)

// inOrder sorts events by time. A journal dates an event by when it was written, and so
// late by what the writing took; what one recorder was told of one term is never dated
// against the order in which it was told.
func inOrder(events []journal.Event) {
	type telling struct {
		by   string
		term fence.Fence
	}
	type told struct {
		nth uint64
		*journal.Event
	}
	tellings := map[telling][]told{}
	for i := range events {
		e := &events[i]
		if by, nth, ok := e.Taken(); ok && termed(*e) {
			of := telling{by, fence.Fence{Name: e.Name, Token: e.Token}}
			tellings[of] = append(tellings[of], told{nth, e})
		}
	}
	for _, all := range tellings {
		slices.SortFunc(all, func(a, b told) int { return cmp.Compare(a.nth, b.nth) })
		for i := len(all) - 2; i >= 0; i-- {
			if next := all[i+1].At; all[i].At.After(next) {
				all[i].At = next
			}
		}
	}
	slices.SortStableFunc(events, func(a, b journal.Event) int { return cmp.Or(a.At.Compare(b.At), rank(a.Kind)-rank(b.Kind)) })
}
