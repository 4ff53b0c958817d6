package stamp

import (
	"errors"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Kind is what a step does.
type Kind string

const (
	Acquire Kind = "acquire"
	Renew   Kind = "renew"
	Release Kind = "release"
	Break   Kind = "break"
	// Stay leaves the term as it is: a write of it only changes what stands beside it.
	Stay Kind = "stay"
)

// Step is what one call asks for. What comes of it is decided by the stamp of its write.
type Step struct {
	Kind    Kind          `json:"kind"`
	Attempt string        `json:"attempt,omitempty"`
	Holder  string        `json:"holder,omitempty"` // of an acquire
	Token   fence.Token   `json:"token,omitzero"`   // of the other kinds
	TTL     time.Duration `json:"ttl_ns,omitempty"` // of an acquire and a renewal
	Floor   fence.Token   `json:"floor,omitzero"`   // of an acquire: the floor that its caller had read
	By      string        `json:"by,omitempty"`     // of a break
}

// Acquiring is the step of an acquire in a store with these properties, or says why
// the request can't be one.
func Acquiring(r driver.Request, p driver.Properties) (Step, error) {
	if err := r.Check(p); err != nil {
		return Step{}, err
	}
	return Step{Kind: Acquire, Attempt: r.Attempt, Holder: r.Holder, TTL: p.RoundTTL(r.TTL)}, nil
}

// Renewing is the step of a renewal, or says why it can't be one.
func Renewing(t driver.Term, ttl time.Duration, p driver.Properties) (Step, error) {
	if err := t.Check(); err != nil {
		return Step{}, err
	}
	if err := p.CheckTTL(ttl); err != nil {
		return Step{}, err
	}
	return Step{Kind: Renew, Attempt: t.Attempt, Token: t.Token, TTL: p.RoundTTL(ttl)}, nil
}

// Releasing is the step of a release, or says why it can't be one.
func Releasing(t driver.Term) (Step, error) {
	if err := t.Check(); err != nil {
		return Step{}, err
	}
	return Step{Kind: Release, Attempt: t.Attempt, Token: t.Token}, nil
}

// Breaking is the step of a forced end.
func Breaking(t *Term, by string) Step {
	return Step{Kind: Break, Attempt: t.Attempt, Token: t.Token, By: by}
}

// Apply takes the step in a write with the given stamp, on the term that the name had.
// It returns the term that the name has then: was itself where nothing has to change,
// and where the error says that the step is refused.
func (s Step) Apply(name string, was *Term, at Stamp) (*Term, error) {
	if s.Kind == Acquire {
		return s.grant(name, was, at)
	}
	if s.Kind == Stay {
		return was, nil
	}
	f := fence.Fence{Name: name, Token: s.Token}
	if !was.Is(s.Token, s.Attempt) {
		return was, &driver.EndedError{Fence: f, Cause: driver.EndSuperseded}
	}
	if cause, over := was.Over(at.At); over {
		return was, &driver.EndedError{Fence: f, Cause: cause}
	}
	now := *was
	switch s.Kind {
	case Renew:
		now.Expires = s.end(at)
	case Release:
		now.Cause, now.EndedAt = driver.EndReleased, at.At
	case Break:
		now.Cause, now.EndedAt, now.By = driver.EndForced, at.At, s.By
	}
	return &now, nil
}

func (s Step) end(at Stamp) time.Time { return at.At.Add(s.TTL + at.Unit) }

// ErrExhausted is the error of a grant for which no number is left.
var ErrExhausted = errors.New("no token is left: " + fence.MaxToken.String() + " is the highest")

// grant grants over a term of the same attempt too where that lies at or below the
// step's floor: such a grant was overtaken by the floor and given to nobody.
func (s Step) grant(name string, was *Term, at Stamp) (*Term, error) {
	var last fence.Token
	if was != nil {
		last = was.Token
		cause, over := was.Over(at.At)
		switch mine := was.Attempt == s.Attempt; {
		case mine && over:
			return was, &driver.EndedError{Fence: fence.Fence{Name: name, Token: was.Token}, Cause: cause}
		case mine && was.Token > s.Floor:
			return was, nil
		case !mine && !over:
			return was, &driver.HeldError{Name: name, Holder: was.Holder, Token: was.Token, Remaining: max(was.Left(at), at.Unit)}
		}
	}
	token := fence.Next(last, s.Floor, fence.TickOf(at.At))
	if !token.Valid() {
		return was, ErrExhausted
	}
	return &Term{
		Token: token, Attempt: s.Attempt, Holder: s.Holder,
		Granted: at.At, Expires: s.end(at), Grant: at.Revision,
	}, nil
}
