package casstore

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/internal/pause"
)

// call is one step on its way.
type call struct {
	store *Store
	name  string
	step  step
	nonce string // of every body that it writes: at most one of them is stored
	lost  int    // writes of which no answer came: the step may have been taken
	down  int    // requests that the bucket did not take
	pause pause.Pause
}

// maxFailed is how many failed requests one call puts up with.
const maxFailed = 4

// maxTries is after how many tries a call gives up that always finds the record
// changed, or the bucket busy: some seven seconds.
const maxTries = 16

func newPause() pause.Pause {
	return pause.Pause{First: 10 * time.Millisecond, Longest: time.Second, Tries: maxTries}
}

func (s *Store) newCall(name string, st step) *call {
	return &call{store: s, name: name, step: st, pause: newPause()}
}

// take takes the step, in as many tries as it needs to write in the place of what
// it has read.
func (c *call) take(ctx context.Context) (view, error) {
	c.nonce = rand.Text()
	for {
		v, done, err := c.try(ctx)
		if done {
			return v, err
		}
		switch kind := judge(err).Kind; {
		case kind == driver.ErrUnknown:
			c.lost++
		case kind == driver.ErrUnavailable:
			c.down++
		case !elsewhere(kind):
			return v, inDoubt(c.lost > 0, err)
		}
		if ctx.Err() != nil || c.lost+c.down > maxFailed {
			return v, inDoubt(c.lost > 0, err)
		}
		if stop := before(c.pause.Wait(ctx, nil)); stop != nil {
			return v, inDoubt(c.lost > 0, giveUp(stop, err))
		}
	}
}

// try reads, judges and writes once. Unless it is done, the error says whether to try
// again.
func (c *call) try(ctx context.Context) (v view, done bool, err error) {
	if v, err = c.store.look(ctx, c.name, c.step.kind == acquire); err != nil {
		return v, false, err
	}
	if v.rec != nil && v.rec.Nonce == c.nonce {
		if c.step.kind != acquire || !v.overtaken() {
			return v, true, c.settle(v)
		}
		c.nonce = rand.Text()
	}
	r, err := c.step.next(v)
	if err != nil {
		return v, true, c.refused(v, err)
	}
	if r == nil {
		return v, true, nil
	}
	r.Nonce = c.nonce
	body, err := json.Marshal(r)
	if err != nil {
		return v, true, unfit(err, "")
	}
	at, err := c.store.put(ctx, c.store.keys.lease(c.name), v.version, body)
	switch {
	case err != nil:
		return v, false, err
	case !r.sure(v, at, c.store.o.Apart):
		return v, false, errLate
	}
	return view{name: c.name, unit: v.unit, rec: r, wrote: v.at, at: later(v.at, at)}, true, nil
}

// errLate asks for another read, to see when the last write was made.
var errLate = doubt(errors.New("its write took long"))

// settle gives the outcome of the call's own write, as every reader sees it.
func (c *call) settle(v view) error {
	cause, over := v.over()
	wanted := map[kind]driver.EndCause{release: driver.EndReleased, force: driver.EndForced}[c.step.kind]
	if !over || cause == wanted {
		return nil
	}
	return &driver.EndedError{Fence: fence.Fence{Name: c.name, Token: v.rec.Token}, Cause: cause}
}

// refused is the error of a step that the record refuses. Where an answer was lost,
// the step may have been taken, and the name granted again since.
func (c *call) refused(v view, err error) error {
	var end *driver.EndedError
	if c.lost == 0 || c.step.kind == acquire || c.step.kind == renew ||
		!errors.As(err, &end) || end.Cause != driver.EndSuperseded || v.rec == nil {
		return err
	}
	switch {
	case v.rec.Was != c.nonce:
		return doubt(errors.New("the name was granted again before the answer came"))
	case v.rec.Ended == driver.EndReleased, v.rec.Ended == driver.EndForced:
		return nil
	}
	end.Cause = v.rec.Ended
	return end
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
