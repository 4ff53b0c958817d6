package zkstore

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// unit is the resolution of the leader's clock: a stamp leaves out up to one unit. A
// term ends one later than asked, so that it is never short of that.
const unit = time.Millisecond

// term is the last term of a name. It stays when it is over, so that its owner
// can be told how it ended and the next token is above it.
type term struct {
	Token   fence.Token     `json:"token"`
	Attempt string          `json:"attempt"`
	Holder  string          `json:"holder"`
	Granted time.Time       `json:"granted"` // all times are the leader's
	Expires time.Time       `json:"expires"`
	Cause   driver.EndCause `json:"ended,omitempty"` // how it was ended before it ran out
	EndedAt time.Time       `json:"ended_at,omitzero"`
	By      string          `json:"by,omitempty"` // who forced the end
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

// left is how long the term lasts at least.
func (t *term) left(at time.Time) time.Duration { return max(t.Expires.Sub(at)-unit, 0) }

func (t *term) term(name string, at time.Time) driver.Term {
	return driver.Term{Fence: fence.Fence{Name: name, Token: t.Token}, Attempt: t.Attempt, Remaining: t.left(at)}
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

// step is what one call asks for. What comes of it is decided by the time that the
// leader stamps on its write.
type step struct {
	Kind    kind          `json:"kind"`
	Attempt string        `json:"attempt,omitempty"`
	Holder  string        `json:"holder,omitempty"` // of an acquire
	Token   fence.Token   `json:"token,omitzero"`   // of the other kinds
	TTL     time.Duration `json:"ttl_ns,omitempty"` // of an acquire and a renewal
	Floor   fence.Token   `json:"floor,omitzero"`   // of an acquire: the floor in force, which its write has as a condition
	By      string        `json:"by,omitempty"`     // of a break
}

// apply takes the step at the given time on the term that the name had. It returns
// the term that the name has then: was itself where the error says that the step is
// refused.
func (s step) apply(name string, was *term, at time.Time) (*term, error) {
	if s.Kind == acquire {
		return s.acquire(name, was, at)
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
		now.Expires = at.Add(s.TTL + unit)
	case release:
		now.Cause, now.EndedAt = driver.EndReleased, at
	case force:
		now.Cause, now.EndedAt, now.By = driver.EndForced, at, s.By
	}
	return &now, nil
}

func (s step) acquire(name string, was *term, at time.Time) (*term, error) {
	var last fence.Token
	if was != nil {
		last = was.Token
		cause, over := was.over(at)
		switch mine := was.Attempt == s.Attempt; {
		case mine && over:
			return was, &driver.EndedError{Fence: fence.Fence{Name: name, Token: was.Token}, Cause: cause}
		case mine:
			return was, nil
		case !over:
			return was, &driver.HeldError{Name: name, Holder: was.Holder, Token: was.Token, Remaining: max(was.left(at), unit)}
		}
	}
	token := fence.Next(last, s.Floor, fence.TickOf(at))
	if !token.Valid() {
		return was, errExhausted
	}
	return &term{Token: token, Attempt: s.Attempt, Holder: s.Holder, Granted: at, Expires: at.Add(s.TTL + unit)}, nil
}

// entry is what a znode holds: not the outcome of a step but the step, and the term
// before it. The leader's time of the write makes the outcome of it, for every reader
// the same.
type entry struct {
	Name string `json:"name"` // paths are made from names; this is the proof
	Was  *term  `json:"was,omitempty"`
	Step step   `json:"step"`
}

// view is what is known of a name.
type view struct {
	name    string
	found   bool // a znode
	version int32
	at      time.Time // the leader's time of its last write
	was     *term
	now     *term
	err     error  // the refusal of the last step, if it was refused
	epoch   uint64 // of the connection that told it
	floor   *floor // the store's record as it was known before that
}

// resolve gives the outcome of what a znode holds.
func resolve(name string, n node, f *floor) (view, error) {
	v := view{name: name, found: n.found, version: n.version, at: n.wrote, epoch: n.epoch, floor: f}
	if !n.found {
		return v, nil
	}
	var e entry
	if err := json.Unmarshal(n.data, &e); err != nil {
		return v, refuse(fmt.Errorf("the record of %s is not one of Ringfence: %w", fence.Quote(name), err), foreign)
	}
	if e.Name != name {
		return v, refuse(fmt.Errorf("the record of %s is that of %s", fence.Quote(name), fence.Quote(e.Name)), foreign)
	}
	v.was = e.Was
	v.now, v.err = e.Step.apply(name, e.Was, v.at)
	return v, nil
}

// free reports whether nobody holds the name, whatever the time is.
func (v view) free() bool { return v.now == nil || v.now.Cause != "" }

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
		r.Remaining = max(t.left(at), unit)
	}
	return r
}
