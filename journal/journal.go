package journal

import (
	"context"
	"errors"
	"iter"
	"time"
)

// Journal is an append-only record of events. All methods may be called by many
// goroutines and processes at once.
//
// An error matches driver.ErrUnknown, driver.ErrUnavailable, driver.ErrUnfit or
// fence.ErrInvalid, and unwraps to the underlying client's own where there is one.
type Journal interface {
	// Append adds events in their order. It may be repeated after an error, since
	// readers count an ID once. It checks all events first, and then refuses all
	// where one can't be kept. It keeps no hold of the slice.
	Append(ctx context.Context, events []Event) error

	// Read yields the events that q asks for, those appended last first. An error that
	// is [ErrCorrupt] is about one entry that can't be read, and the sequence goes
	// on; any other error is its end. No event comes twice.
	Read(ctx context.Context, q Query) iter.Seq2[Event, error]

	// Prune removes what lies beyond the bounds, the oldest first, and returns how
	// many events went. It may leave some for another time.
	Prune(ctx context.Context, b Bounds) (int, error)

	// Clock says whose clock the events are on.
	Clock() string

	// Close gives back what the journal keeps open.
	Close() error
}

// ErrCorrupt: an entry of the journal can't be read. It was left out.
var ErrCorrupt = errors.New("corrupt entry")

// Query says which events to read.
type Query struct {
	// Name is one lease's, and what concerns the whole store comes with it. Empty for
	// the events of all.
	Name string
	// Since and Until bound the time of an event: not before the one, before the
	// other. Zero for no bound.
	Since, Until time.Time
}

// Wants reports whether q asks for e.
func (q Query) Wants(e Event) bool {
	return (q.Name == "" || e.Name == "" || e.Name == q.Name) &&
		(q.Since.IsZero() || !e.At.Before(q.Since)) && (q.Until.IsZero() || e.At.Before(q.Until))
}

// Bounds say how much a journal keeps.
type Bounds struct {
	Age    time.Duration // events older than this go
	Events int           // and so do the oldest, beyond this many
}

// DefaultBounds are what a [Recorder] keeps unless it is told otherwise: 90 days and
// 100,000 events, which are about 30,000 terms.
var DefaultBounds = Bounds{Age: 90 * 24 * time.Hour, Events: 100_000}

// Once leaves out what has come before, by its ID. Journals that can hold an event
// twice use it in Read.
func Once(events iter.Seq2[Event, error]) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		seen := map[string]bool{}
		for e, err := range events {
			if err == nil && e.ID != "" {
				if seen[e.ID] {
					continue
				}
				seen[e.ID] = true
			}
			if !yield(e, err) {
				return
			}
		}
	}
}
