package casstore

import (
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// step is what a call asks for.
type step struct {
	kind    kind
	token   fence.Token // of the term; not of an acquire
	attempt string
	holder  string
	by      string
	ttl     time.Duration
}

// next is the record that the step makes of what was read, or nil where an attempt
// has its grant already. It is a pure function: what it returns counts only if it is
// written in the very place of what was read.
func (s step) next(v view) (*record, error) {
	if s.kind == acquire {
		return s.grant(v)
	}
	f := fence.Fence{Name: v.name, Token: s.token}
	if v.rec == nil || v.rec.Token != s.token || v.rec.Attempt != s.attempt {
		return nil, &driver.EndedError{Fence: f, Cause: driver.EndSuperseded}
	}
	if cause, over := v.over(); over {
		return nil, &driver.EndedError{Fence: f, Cause: cause}
	}
	r := *v.rec
	r.Step, r.Until, r.By = s.kind, time.Time{}, s.by
	if s.kind == renew {
		r.Until, r.Expires = r.Expires, v.at.Add(s.ttl+v.unit)
	}
	return &r, nil
}

func (s step) grant(v view) (*record, error) {
	r := &record{
		Name: v.name, Attempt: s.attempt, Holder: s.holder, Step: acquire,
		Granted: v.at, Expires: v.at.Add(s.ttl + v.unit),
	}
	var last fence.Token
	if v.rec != nil {
		cause, over := v.over()
		mine := v.rec.Attempt == s.attempt
		switch {
		case mine && over:
			return nil, &driver.EndedError{Fence: fence.Fence{Name: v.name, Token: v.rec.Token}, Cause: cause}
		case mine && v.overtaken():
			cause = driver.EndSuperseded
		case mine:
			return nil, nil
		case !over:
			return nil, v.held()
		}
		last, r.Was, r.Ended = v.rec.Token, v.rec.Nonce, cause
	}
	r.Token = fence.Next(last, v.floor.Value, fence.TickOf(v.at))
	if !r.Token.Valid() {
		return nil, errExhausted
	}
	return r, nil
}

// prompt is how soon after its reads a grant is written so that nothing has to be
// read again. A raised floor is in force only when no such write can be under way.
const prompt = 2 * time.Second

// sure reports whether r, which was written after v was read and before the bucket's
// time at, certainly came in time, where stamps and answers are up to apart.
func (r *record) sure(v view, at time.Time, apart time.Duration) bool {
	end := r.Expires
	switch r.Step {
	case acquire:
		return at.Sub(v.since) <= prompt && at.Before(end)
	case renew:
		end = r.Until
	}
	return at.Add(apart).Before(end)
}
