package natsstore

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/internal/pause"
	"github.com/ringfence-go/ringfence/store/internal/ruling"
	"github.com/ringfence-go/ringfence/store/internal/stamp"
)

// call is one step on its way.
type call struct {
	store *Store
	name  string
	step  stamp.Step
	id    string // of the messages that it writes: all of them expect the same revision until one is stored
	lost  int    // writes of which no answer came: the step may have been taken
	pause pause.Pause
}

// maxLost is how many lost answers one call puts up with.
const maxLost = 4

// maxTries is after how many tries a call that always finds the record changed gives
// up: by then others have taken as many steps on its name.
const maxTries = 64

func newPause() pause.Pause { return pause.Pause{Tries: maxTries} }

func (s *Store) newCall(name string, st stamp.Step) *call {
	return &call{store: s, name: name, step: st, pause: newPause()}
}

// take takes the step, in as many tries as it needs to write right after what it
// has read. It returns the term, and a time at which it was so.
func (c *call) take(ctx context.Context) (*stamp.Term, time.Time, error) {
	c.id = rand.Text()
	v, known := c.store.recent.get(c.name)
	known = known && v.Suits(c.step) && c.store.checked()
	for {
		var err error
		if !known {
			v, err = c.store.look(ctx, c.name, 0)
		}
		if err == nil {
			var t *stamp.Term
			var at time.Time
			if t, at, err = c.try(ctx, v, known); t != nil {
				return t, at, nil
			}
		}
		known = false
		if err = c.goOn(ctx, err); err != nil {
			return nil, time.Time{}, err
		}
	}
}

// goOn waits for the next try after err, or says why there is none.
func (c *call) goOn(ctx context.Context, err error) error {
	if errors.Is(err, driver.ErrHeld) || errors.Is(err, driver.ErrEnded) {
		return c.refused(err)
	}
	r := judge(err)
	again := r.Again || r.Kind == driver.ErrUnknown || c.lost > 0 && r.Kind == driver.ErrUnavailable
	if !again || ctx.Err() != nil || c.lost > maxLost {
		return inDoubt(c.lost > 0, err)
	}
	if err := before(c.pause.Wait(ctx, nil)); err != nil {
		return inDoubt(c.lost > 0, err)
	}
	return nil
}

// refused is the error of a step that the record refuses. Whether a release came
// in time can't be told any more once somebody else has the name.
func (c *call) refused(err error) error {
	var end *driver.EndedError
	if c.lost > 0 && c.step.Kind != stamp.Acquire && errors.As(err, &end) && end.Cause == driver.EndSuperseded {
		return ruling.Doubt(errors.New("the name was granted again before the answer came"))
	}
	return err
}

// errAgain asks for another try.
var errAgain = ruling.Changed(errors.New("its record has just changed"))

// try judges what was read, writes the step after it, and reads what came of that.
func (c *call) try(ctx context.Context, v view, remembered bool) (*stamp.Term, time.Time, error) {
	if v.ID == c.id {
		return c.settle(v) // the answer to the write was lost
	}
	if t, at, err := c.foresee(ctx, v, remembered); t != nil || err != nil {
		return t, at, err
	}
	st := c.step
	if st.Kind == stamp.Acquire {
		st.Floor = v.floor.Value
	}
	body, err := json.Marshal(stamp.Entry{Name: c.name, ID: c.id, Was: v.Now, Step: st})
	if err != nil {
		return nil, time.Time{}, ruling.Refuse(err, "")
	}
	revision, err := c.store.writeStep(ctx, c.name, v.revision, body)
	if err != nil {
		if judge(err).Kind == driver.ErrUnknown {
			c.lost++
		}
		return nil, time.Time{}, err
	}
	after, err := c.store.look(ctx, c.name, revision)
	if err != nil {
		c.lost++ // stored, but the time of it is not known
		return nil, time.Time{}, err
	}
	if after.ID != c.id {
		c.lost++ // others have taken steps since
		return c.overwritten(after)
	}
	return c.settle(after)
}

// foresee spares the bucket a write that would change nothing. An acquire is
// judged by the server's time. A renewal or a release is judged by its write
// alone, unless the record shows what can't change any more.
func (c *call) foresee(ctx context.Context, v view, remembered bool) (*stamp.Term, time.Time, error) {
	if c.lost > 0 {
		if t, at, err := c.overwritten(v); t != nil {
			return t, at, err
		}
	}
	if c.step.Kind != stamp.Acquire {
		_, err := c.step.Apply(c.name, v.Now, stamp.Stamp{At: v.At})
		behind := v.Now == nil || v.Now.Token < c.step.Token
		if err != nil && behind { // it may be that the read does not know the term yet
			return nil, v.At, nil
		}
		return nil, v.At, err
	}
	if remembered {
		return nil, v.At, nil
	}
	at, err := c.store.nowFor(ctx, v)
	if err != nil {
		return nil, at, err
	}
	if v.Now != nil && v.Now.Attempt == c.step.Attempt {
		if _, over := v.Now.Over(at); !over && !v.floor.overtaken(v.Now) {
			return v.Now, at, nil
		}
	}
	st := c.step
	st.Floor = v.floor.Value
	_, err = st.Apply(c.name, v.Now, stamp.Stamp{At: at})
	return nil, at, err
}

// settle gives the outcome of the call's own message.
func (c *call) settle(v view) (*stamp.Term, time.Time, error) {
	switch {
	case v.Err != nil:
		c.store.recent.forget(c.name)
		c.lost = 0
		return nil, v.At, v.Err
	case c.step.Kind == stamp.Acquire && v.floor.overtaken(v.Now):
		c.id, c.lost = rand.Text(), 0
		return nil, v.At, errAgain
	}
	c.store.recent.put(v)
	return v.Now, v.At, nil
}

// overwritten finds the outcome of an ending in what was written after it.
func (c *call) overwritten(v view) (*stamp.Term, time.Time, error) {
	if t := v.Ended(c.step); t != nil {
		return t, t.EndedAt, nil
	}
	return nil, v.At, errAgain
}

// recent remembers the records that this store has written last, so that the
// next step on them needs no read before it.
type recent struct {
	mu    sync.Mutex
	views map[string]view
}

const maxRecent = 4096

func (r *recent) get(name string) (view, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.views[name]
	return v, ok
}

func (r *recent) put(v view) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.views == nil || len(r.views) >= maxRecent {
		r.views = map[string]view{}
	}
	r.views[v.Name] = v
}

func (r *recent) forget(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.views, name)
}
