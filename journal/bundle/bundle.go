// Package bundle makes one text of many events, for journals that keep a whole batch
// as one value: a row of a table, a message of a stream. That costs the store a small
// part of what one value an event does.
//
// A bundle holds no time. It tells of each event how long before it was packed it
// happened, so that whoever knows on the journal's clock when the bundle was written
// knows all its times, and no clock of a caller enters.
package bundle

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
)

// entry is an event as a bundle keeps it. A name is that of the event's own JSON
// wherever both have the field.
type entry struct {
	ID       string       `json:"id,omitempty"`
	Kind     journal.Kind `json:"kind"`
	Name     string       `json:"name,omitempty"`
	Token    fence.Token  `json:"token,omitzero"`
	Holder   string       `json:"holder,omitempty"`
	Ago      int64        `json:"ago_us"`                // how long before it was packed, in microseconds
	Span     *int64       `json:"until_after,omitempty"` // how long after it Until is, in microseconds
	Cause    string       `json:"cause,omitempty"`
	Resource string       `json:"resource,omitempty"`
	By       string       `json:"by,omitempty"`
	Detail   string       `json:"detail,omitempty"`
	Lost     int          `json:"lost,omitempty"`
}

// Pack makes a bundle of events now: a JSON array. It fails where one of them can't be
// kept. An event that is yet to come counts as one of now.
func Pack(events []journal.Event) ([]byte, error) {
	now := time.Now()
	entries, spans := make([]entry, len(events)), make([]int64, len(events))
	for i, e := range events {
		if err := e.Check(); err != nil {
			return nil, err
		}
		entries[i] = entry{
			ID: e.ID, Kind: e.Kind, Name: e.Name, Token: e.Token, Holder: e.Holder, Ago: max(0, now.Sub(e.At).Microseconds()),
			Cause: e.Cause, Resource: e.Resource, By: e.By, Detail: e.Detail, Lost: e.Lost,
		}
		if !e.Until.IsZero() {
			spans[i] = e.Until.Sub(e.At).Microseconds()
			entries[i].Span = &spans[i]
		}
	}
	return json.Marshal(entries)
}

// Unpack returns the events of a bundle that was written at the given moment. The
// error matches [journal.ErrCorrupt].
func Unpack(text []byte, written time.Time) ([]journal.Event, error) {
	var entries []entry
	if err := json.Unmarshal(text, &entries); err != nil {
		return nil, fmt.Errorf("%w: %w", journal.ErrCorrupt, err)
	}
	events := make([]journal.Event, len(entries))
	for i, e := range entries {
		events[i] = journal.Event{
			ID: e.ID, Kind: e.Kind, Name: e.Name, Token: e.Token, Holder: e.Holder, At: later(written, -e.Ago),
			Cause: e.Cause, Resource: e.Resource, By: e.By, Detail: e.Detail, Lost: e.Lost,
		}
		if e.Span != nil {
			events[i].Until = later(events[i].At, *e.Span)
		}
		if err := events[i].Check(); err != nil {
			return nil, fmt.Errorf("%w: %w", journal.ErrCorrupt, err)
		}
	}
	return events, nil
}

func later(t time.Time, microseconds int64) time.Time {
	return t.Add(time.Duration(microseconds) * time.Microsecond)
}
