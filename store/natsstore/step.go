package natsstore

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// term is the last term of a name. It stays when it is over, so that its owner
// can be told how it ended and the next token is above it.
type term struct {
	Token   fence.Token     `json:"token"`
	Attempt string          `json:"attempt"`
	Holder  string          `json:"holder"`
	Granted time.Time       `json:"granted"` // all times are the server's
	Expires time.Time       `json:"expires"`
	Cause   driver.EndCause `json:"ended,omitempty"` // how it was ended before it ran out
	EndedAt time.Time       `json:"ended_at,omitzero"`
	By      string          `json:"by,omitempty"` // who forced the end
	Grant   uint64          `json:"grant"`        // the revision of the grant
}

// over reports whether the term is over at the given time, and how it ended.
func (t *term) over(at time.Time) (driver.EndCause, bool) {
	switch {
	case t.Cause != "":
		return t.Cause, true
	case !at.Before(t.Expires):
		return driver.EndExpired, true
	}
	return "", false
}

// overFor is how long the term has been over; less than 0 while it lasts.
func (t *term) overFor(at time.Time) time.Duration {
	if t.Cause != "" {
		return at.Sub(t.EndedAt)
	}
	return at.Sub(t.Expires)
}

func (t *term) is(token fence.Token, attempt string) bool {
	return t != nil && t.Token == token && t.Attempt == attempt
}

// kind is what a step does.
type kind string

const (
	acquire kind = "acquire"
	renew   kind = "renew"
	release kind = "release"
	force   kind = "break"
)

// step is what one call asks for. What comes of it is decided by the time at
// which the server stores it.
type step struct {
	Kind    kind          `json:"kind"`
	Attempt string        `json:"attempt,omitempty"`
	Holder  string        `json:"holder,omitempty"` // of an acquire
	Token   fence.Token   `json:"token,omitzero"`   // of the other kinds
	TTL     time.Duration `json:"ttl_ns,omitempty"` // of an acquire and a renewal
	Floor   fence.Token   `json:"floor,omitzero"`   // of an acquire: the floor that its caller had read
	By      string        `json:"by,omitempty"`     // of a break
}

// apply takes the step at the given time, as message revision, on the term that
// the name had. It returns the term that the name has then: was itself where the
// error says that the step is refused.
func (s step) apply(name string, was *term, at time.Time, revision uint64) (*term, error) {
	if s.Kind == acquire {
		return s.acquire(name, was, at, revision)
	}
	f := fence.Fence{Name: name, Token: s.Token}
	if !was.is(s.Token, s.Attempt) {
		return was, &driver.EndedError{Fence: f, Cause: driver.EndSuperseded}
	}
	if cause, over := was.over(at); over {
		return was, &driver.EndedError{Fence: f, Cause: cause}
	}
	now := *was
	switch s.Kind {
	case renew:
		now.Expires = at.Add(s.TTL)
	case release:
		now.Cause, now.EndedAt = driver.EndReleased, at
	case force:
		now.Cause, now.EndedAt, now.By = driver.EndForced, at, s.By
	}
	return &now, nil
}

// acquire grants over a term of the same attempt too where that lies at or below
// the step's floor: such a grant was overtaken by the floor and given to nobody.
func (s step) acquire(name string, was *term, at time.Time, revision uint64) (*term, error) {
	var last fence.Token
	if was != nil {
		last = was.Token
		cause, over := was.over(at)
		switch mine := was.Attempt == s.Attempt; {
		case mine && over:
			return was, &driver.EndedError{Fence: fence.Fence{Name: name, Token: was.Token}, Cause: cause}
		case mine && was.Token > s.Floor:
			return was, nil
		case !mine && !over:
			return was, &driver.HeldError{Name: name, Holder: was.Holder, Token: was.Token, Remaining: was.Expires.Sub(at)}
		}
	}
	token := fence.Next(last, s.Floor, fence.TickOf(at))
	if !token.Valid() {
		return was, errExhausted
	}
	return &term{
		Token: token, Attempt: s.Attempt, Holder: s.Holder,
		Granted: at, Expires: at.Add(s.TTL), Grant: revision,
	}, nil
}

// entry is the record of a name as it is stored.
type entry struct {
	Name string `json:"name"` // keys are made from names; this is the proof
	ID   string `json:"id"`   // random: a writer whose reply was lost knows its own
	Was  *term  `json:"was,omitempty"`
	Step step   `json:"step"`
}

// view is what a read shows of a name.
type view struct {
	name     string
	floor    floor
	revision uint64    // of the last message on the subject; 0 without one
	at       time.Time // the server's timestamp of that
	id       string
	was      *term
	now      *term
	err      error // the refusal of the last step, if it was refused
}

// resolve reads a stored message. A message without a body is the mark of a
// clean-up: nothing is known of the name.
func resolve(name string, f floor, m stored) (view, error) {
	v := view{name: name, floor: f, revision: m.revision, at: m.at}
	if len(m.data) == 0 {
		return v, nil
	}
	var e entry
	if err := json.Unmarshal(m.data, &e); err != nil {
		return v, refuse(fmt.Errorf("the record of %s is not one of Ringfence: %v", fence.Quote(name), err), foreign)
	}
	if e.Name != name {
		return v, refuse(fmt.Errorf("the record of %s is that of %s", fence.Quote(name), fence.Quote(e.Name)), foreign)
	}
	v.id, v.was = e.ID, e.Was
	v.now, v.err = e.Step.apply(name, e.Was, m.at, m.revision)
	return v, nil
}

// record is what anybody may see of the name at a time of the server.
func (v view) record(at time.Time) driver.Record {
	t := v.now
	if t == nil {
		return driver.Record{Name: v.name, State: driver.Free}
	}
	r := driver.Record{
		Name: v.name, State: driver.Held, Token: t.Token, Holder: t.Holder,
		GrantedAt: t.Granted, ExpiresAt: t.Expires, EndedBy: t.By,
	}
	if cause, over := t.over(at); over {
		r.State = driver.State(cause)
	} else {
		r.Remaining = t.Expires.Sub(at)
	}
	return r
}
