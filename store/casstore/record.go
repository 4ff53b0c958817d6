package casstore

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// kind is what wrote a record.
type kind string

const (
	acquire kind = "acquire"
	renew   kind = "renew"
	release kind = "release"
	force   kind = "force"
)

// record is the value of a name: its last term.
type record struct {
	Name    string      `json:"name"`
	Token   fence.Token `json:"token"`
	Attempt string      `json:"attempt"`
	Holder  string      `json:"holder,omitempty"`
	Step    kind        `json:"step"`
	Granted time.Time   `json:"granted"`
	Expires time.Time   `json:"expires"`
	// Until is when the term ended before it was renewed: a renewal that is
	// written later than that has not moved the end.
	Until time.Time `json:"until,omitzero"`
	By    string    `json:"by,omitempty"` // who forced the end
	// Nonce makes each value another one, and with it a version that is a digest.
	Nonce string `json:"nonce"`
	// Was and Ended are the nonce and the end of the term before this one: how a
	// release learns that it succeeded when its answer was lost.
	Was   string          `json:"was,omitempty"`
	Ended driver.EndCause `json:"ended,omitempty"`
}

// view is what a read shows of a name.
type view struct {
	name    string
	unit    time.Duration // of the clock: an answer's time leaves out up to one
	rec     *record       // nil without a record
	version string
	wrote   time.Time // stamped in the write of the record
	at      time.Time // the bucket's time after that
	floor   floor     // read for an acquire only
	since   time.Time // the earlier of the times of both reads
}

func (s *Store) readRecord(name string, o Object) (view, error) {
	v := view{name: name, unit: s.o.Unit, at: o.At, since: o.At, version: o.Version, wrote: o.Wrote}
	if !o.found() {
		return v, nil
	}
	var r record
	if err := json.Unmarshal(o.Data, &r); err != nil || r.Nonce == "" || !r.Token.Valid() {
		return v, unfit(fmt.Errorf("the record of %s is not one of Ringfence", fence.Quote(name)), foreign)
	}
	if r.Name != name {
		return v, unfit(fmt.Errorf("the record of %s is that of %s", fence.Quote(name), fence.Quote(r.Name)), foreign)
	}
	v.rec = &r
	return v, nil
}

// end is when the term runs out.
func (v view) end() time.Time {
	if v.rec.Step == renew && !v.wrote.Before(v.rec.Until) {
		return v.rec.Until
	}
	return v.rec.Expires
}

// over reports whether the term is over, and how it ended. One that was ended too
// late had run out.
func (v view) over() (driver.EndCause, bool) {
	cause := map[kind]driver.EndCause{release: driver.EndReleased, force: driver.EndForced}[v.rec.Step]
	switch {
	case cause != "" && v.wrote.Before(v.rec.Expires):
		return cause, true
	case !v.at.Before(v.end()):
		return driver.EndExpired, true
	}
	return "", false
}

// left is how long the term lasts at least.
func (v view) left() time.Duration { return max(v.end().Sub(v.at)-v.unit, 0) }

// overtaken reports whether the term is a grant at or below a floor that is in
// force, of which nobody may have been told before it was.
func (v view) overtaken() bool {
	return v.rec.Step == acquire && v.rec.Token <= v.floor.Value && v.at.After(v.floor.inForce)
}

func (v view) term() driver.Term {
	return driver.Term{Fence: fence.Fence{Name: v.name, Token: v.rec.Token}, Attempt: v.rec.Attempt, Remaining: v.left()}
}

func (v view) held() error {
	return &driver.HeldError{Name: v.name, Holder: v.rec.Holder, Token: v.rec.Token, Remaining: max(v.left(), v.unit)}
}

// record is what anybody may see of the name.
func (v view) record() driver.Record {
	if v.rec == nil {
		return driver.Record{Name: v.name, State: driver.Free}
	}
	r := driver.Record{
		Name: v.name, State: driver.Held, Token: v.rec.Token, Holder: v.rec.Holder,
		GrantedAt: v.rec.Granted, ExpiresAt: v.end(),
	}
	cause, over := v.over()
	switch {
	case !over:
		r.Remaining = max(v.left(), v.unit)
	case cause == driver.EndForced:
		r.EndedBy = v.rec.By
		fallthrough
	default:
		r.State = driver.State(cause)
	}
	return r
}
