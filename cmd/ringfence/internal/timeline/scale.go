// Package timeline draws the account of a name: who held it when, with gaps, overlaps
// and refused writes, for a terminal and as a picture.
package timeline

import (
	"slices"
	"time"

	"github.com/ringfence-go/ringfence/journal/history"
)

// scale maps times to places from 0 to 1.
type scale struct{ from, to time.Time }

// scaleOf spans all that happened.
func scaleOf(h history.History) scale {
	var s scale
	include := func(at time.Time) {
		if at.IsZero() {
			return
		}
		if s.from.IsZero() || at.Before(s.from) {
			s.from = at
		}
		if at.After(s.to) {
			s.to = at
		}
	}
	for i := range h.Terms {
		include(h.Terms[i].First())
		include(h.Terms[i].Last())
	}
	for _, e := range h.Other {
		include(e.At)
	}
	if !s.to.After(s.from) {
		s.to = s.from.Add(time.Second)
	}
	return s
}

// place is where a time stands, not outside of 0 to 1.
func (s scale) place(at time.Time) float64 {
	p := float64(at.Sub(s.from)) / float64(s.to.Sub(s.from))
	return min(max(p, 0), 1)
}

// phase is what a term was in for a while.
type phase uint8

const (
	held    phase = iota // its work ran under its lease
	outside              // its work went on, and the lease was over
	unknown              // nothing on record says whether its work went on
)

// stretch is a phase of a term with its bounds.
type stretch struct {
	phase    phase
	from, to time.Time
}

// stretches are the phases of a term in their order.
func stretches(t *history.Term, last time.Time) []stretch {
	from, lease, work := t.First(), t.LeaseEnd(), t.WorkEnd()
	if lease.IsZero() || lease.Before(from) {
		lease = from
	}
	switch {
	case work.IsZero() && t.Suspect == nil && t.Next.IsZero(): // it may be held still
		return []stretch{{held, from, lease}}
	case work.IsZero():
		end := t.Next
		if end.IsZero() || !t.Lost.IsZero() && t.Lost.After(end) {
			end = maxTime(t.Lost, lease)
		}
		if end.IsZero() || end.After(last) {
			end = last
		}
		return compact([]stretch{{held, from, minTime(lease, end)}, {unknown, minTime(lease, end), end}})
	case work.After(lease) && t.Free.IsZero():
		return compact([]stretch{{held, from, lease}, {outside, lease, work}})
	}
	return []stretch{{held, from, work}}
}

func compact(all []stretch) []stretch {
	return slices.DeleteFunc(all, func(s stretch) bool { return s.phase != held && !s.to.After(s.from) })
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func maxTime(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
