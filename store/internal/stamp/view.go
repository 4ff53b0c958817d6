package stamp

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Entry is the record of a name as it is stored.
type Entry struct {
	Name string `json:"name"`         // keys are made from names; this is the proof
	ID   string `json:"id,omitempty"` // random, where a writer whose answer was lost knows its own write by it
	Was  *Term  `json:"was,omitempty"`
	Step Step   `json:"step"`
	// Line says that some may stand in line for the name, where the store keeps lines.
	Line bool `json:"line,omitempty"`
}

// View is what is known of a name.
type View struct {
	Name string
	At   time.Time // the stamp of its last write
	ID   string    // of the last write
	Was  *Term     // the term before that
	Now  *Term     // and after it
	Err  error     // the refusal of the last step, if it was refused
	Line bool      // some may stand in line
}

// Read gives the outcome of the record of a name: of a write with the given stamp.
func Read(name string, data []byte, at Stamp) (View, error) {
	v := View{Name: name, At: at.At}
	var e Entry
	if err := json.Unmarshal(data, &e); err != nil {
		// Not wrapped: it is the record that is wrong, and nothing that the caller gave.
		return v, fmt.Errorf("the record of %s is not one of Ringfence: %v", fence.Quote(name), err)
	}
	if e.Name != name {
		return v, fmt.Errorf("the record of %s is that of %s", fence.Quote(name), fence.Quote(e.Name))
	}
	v.ID, v.Was, v.Line = e.ID, e.Was, e.Line
	v.Now, v.Err = e.Step.Apply(name, e.Was, at)
	return v, nil
}

// Free reports whether nobody holds the name, whatever the time is.
func (v View) Free() bool { return v.Now == nil || v.Now.Cause != "" }

// Suits reports whether the name, as it was seen some time ago, is worth a write of
// the step without another look.
func (v View) Suits(s Step) bool {
	if s.Kind == Acquire {
		return v.Free() && (v.Now == nil || v.Now.Attempt != s.Attempt)
	}
	return v.Now.Is(s.Token, s.Attempt) && v.Now.Cause == ""
}

// Ended is the term that the step has ended, which may have been replaced since; nil
// where the view shows none, or the step is not an ending.
func (v View) Ended(s Step) *Term {
	cause := map[Kind]driver.EndCause{Release: driver.EndReleased, Break: driver.EndForced}[s.Kind]
	for _, t := range []*Term{v.Now, v.Was} {
		if cause != "" && t.Is(s.Token, s.Attempt) && t.Cause == cause && t.By == s.By {
			return t
		}
	}
	return nil
}

// Record is what anybody may see of the name at a time of the store.
func (v View) Record(at Stamp) driver.Record {
	t := v.Now
	if t == nil {
		return driver.Record{Name: v.Name, State: driver.Free}
	}
	r := driver.Record{
		Name: v.Name, State: driver.Held, Token: t.Token, Holder: t.Holder,
		GrantedAt: t.Granted, ExpiresAt: t.Expires, EndedBy: t.By,
	}
	if cause, over := t.Over(at.At); over {
		r.State = driver.State(cause)
	} else {
		r.Remaining = max(t.Left(at), at.Unit)
	}
	return r
}
