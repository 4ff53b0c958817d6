package zkstore

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/internal/pause"
	"github.com/ringfence-go/ringfence/store/internal/ruling"
	"github.com/ringfence-go/ringfence/store/internal/stamp"
)

// call is one step on its way.
type call struct {
	store *Store
	name  string
	step  stamp.Step
	lost  int  // writes of which no answer came: the step may have been taken
	down  int  // requests after that which could not be made
	line  bool // the record says that some may stand in line
	turn  turn // what an acquire does there
	pause pause.Pause
}

// maxFailed is how many failed requests one call puts up with.
const maxFailed = 4

// maxTries is after how many tries a call that always finds the record changed gives
// up: by then others have taken as many steps on its name.
const maxTries = 64

func newPause() pause.Pause { return pause.Pause{Tries: maxTries} }

func (s *Store) newCall(name string, st stamp.Step) *call {
	return &call{store: s, name: name, step: st, pause: newPause()}
}

// take takes the step, in as many tries as it needs to write in the place of what it
// knows. It returns the term, and a time at which it was so.
func (c *call) take(ctx context.Context) (*stamp.Term, time.Time, error) {
	v, known := c.store.memory.view(c.name, c.store.link.now())
	current := known // a record that is known and does not suit is looked at with care
	known = known && v.Suits(c.step) && c.isTurn(v)
	for {
		var err error
		if !known {
			v, err = c.store.look(ctx, c.name, current)
		}
		if err == nil {
			var t *stamp.Term
			var at time.Time
			if t, at, err = c.try(ctx, v, known, current); t != nil {
				return t, at, nil
			}
		}
		known, current, c.turn = false, true, turn{}
		if err = c.goOn(ctx, err); err != nil {
			return nil, time.Time{}, err
		}
	}
}

// goOn waits for the next try after err, or says why there is none.
func (c *call) goOn(ctx context.Context, err error) error {
	if errors.Is(err, driver.ErrHeld) || errors.Is(err, driver.ErrEnded) {
		return c.behind(ctx, c.refused(err))
	}
	r := judge(err)
	again := r.Again || r.Kind == driver.ErrUnknown
	if !again && c.lost > 0 && r.Kind == driver.ErrUnavailable {
		again = true
		c.down++
	}
	if !again || ctx.Err() != nil || c.lost+c.down > maxFailed {
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

// try judges what is known, and writes the step in its place. Where a read was not
// current it refuses nothing: the server that answered may lag.
func (c *call) try(ctx context.Context, v view, remembered, current bool) (*stamp.Term, time.Time, error) {
	c.line = v.Line
	if !remembered {
		t, at, err := c.foresee(ctx, v, current)
		if t != nil || err != nil {
			if current {
				return t, at, err
			}
			return nil, at, errAgain
		}
	}
	after, err := c.write(ctx, v)
	if err != nil {
		if judge(err).Kind == driver.ErrUnknown {
			c.lost++
		}
		return nil, time.Time{}, err
	}
	if c.turn.own != "" {
		c.store.places.drop(c.name, c.step.Attempt)
	}
	return c.settle(after)
}

// isTurn reports whether nobody is known to be before an acquire in the line that v tells of.
func (c *call) isTurn(v view) bool {
	if c.step.Kind != stamp.Acquire || !v.Line {
		return true
	}
	c.turn.own = c.store.places.first(c.name, c.step.Attempt, c.store.link.now())
	return c.turn.own != ""
}

// foresee spares the store a write that would change nothing. An acquire is judged
// by the leader's time, a renewal or a release by its write alone, unless the record
// shows what can't change any more.
func (c *call) foresee(ctx context.Context, v view, current bool) (*stamp.Term, time.Time, error) {
	if c.lost > 0 {
		if t, at, err := c.overwritten(v); t != nil {
			return t, at, err
		}
	}
	if c.step.Kind != stamp.Acquire {
		_, err := c.step.Apply(c.name, v.Now, stamped(v.At))
		return nil, v.At, err
	}
	at, err := c.store.timeOf(ctx, v)
	if err != nil {
		return nil, at, err
	}
	now, err := c.step.Apply(c.name, v.Now, stamped(at))
	if err == nil && now == v.Now {
		return now, at, nil // the attempt has its grant
	}
	if err == nil && v.Line && !current {
		err = errAgain
	}
	if err == nil && v.Line {
		c.turn, err = c.inTurn(ctx, v)
	}
	return nil, at, err
}

// write writes the step in the place of v, in one request.
func (c *call) write(ctx context.Context, v view) (view, error) {
	st := c.step
	if st.Kind == stamp.Acquire {
		st.Floor = v.floor.Value
	}
	body, err := json.Marshal(stamp.Entry{Name: c.name, Was: v.Now, Step: st, Line: (v.Line || c.line) && !c.turn.alone})
	if err != nil {
		return v, ruling.Refuse(err, "")
	}
	place := c.store.paths.lease(c.name)
	ops := append([]any{c.store.condition(v.floor)}, c.store.goesOn(c.turn, c.name)...)
	if !v.found {
		ops = append(ops, &zk.CreateRequest{Path: place, Acl: c.store.acl}) // its answer has no time
	}
	ops = append(ops, &zk.SetDataRequest{Path: place, Data: body, Version: v.version})
	done, err := c.store.commit(ctx, v.epoch, ops...)
	if err != nil {
		return v, c.store.missed(ctx, c.name, done, err)
	}
	s := done.of[len(ops)-1].Stat
	return resolve(c.name, node{found: true, data: body, version: s.Version, wrote: stampOf(s), epoch: v.epoch}, v.floor)
}

// missed forgets what a refused write shows to be wrong, and makes the folder that
// it shows to be missing.
func (s *Store) missed(ctx context.Context, name string, done stats, err error) error {
	switch {
	case done.failed < 0:
	case done.failed == 0: // the condition of the floor
		s.memory.forgetAll()
	default:
		s.memory.forget(name)
		if errors.Is(err, zk.ErrNoNode) {
			if e := s.ensure(ctx, s.paths.shard(name)); e != nil {
				return e
			}
		}
	}
	return err
}

// settle gives the outcome of the call's own write.
func (c *call) settle(v view) (*stamp.Term, time.Time, error) {
	c.store.memory.keep(v)
	if v.Err != nil {
		c.lost = 0
		return nil, v.At, v.Err
	}
	return v.Now, v.At, nil
}

// overwritten finds an ending whose answer was lost, also in what was written after it.
// An acquire finds its attempt, and to renew twice does no harm.
func (c *call) overwritten(v view) (*stamp.Term, time.Time, error) {
	if t := v.Ended(c.step); t != nil {
		return t, t.EndedAt, nil
	}
	return nil, v.At, errAgain
}

// look reads the record of a name. Where it has to be current, the server first
// catches up with the leader.
func (s *Store) look(ctx context.Context, name string, current bool) (view, error) {
	f, err := s.floor(ctx)
	if err != nil {
		return view{}, err
	}
	if current {
		if err := s.sync(ctx); err != nil {
			return view{}, err
		}
	}
	n, err := s.get(ctx, s.paths.lease(name))
	if err != nil {
		return view{}, err
	}
	v, err := resolve(name, n, f)
	if err == nil && v.found {
		s.memory.keep(v)
	}
	return v, err
}

// timeOf is a time of the leader that tells whether the term of v is over. One that
// was ended is, at any time.
func (s *Store) timeOf(ctx context.Context, v view) (time.Time, error) {
	if v.Free() {
		return v.At, nil
	}
	at, err := s.timeFor(ctx, v.Now.Expires)
	if at.Before(v.At) {
		at = v.At
	}
	return at, err
}

func (s *Store) inspect(ctx context.Context, name string) (view, driver.Record, error) {
	v, err := s.look(ctx, name, true)
	if err != nil {
		return v, driver.Record{}, err
	}
	at, err := s.timeOf(ctx, v)
	return v, v.Record(stamped(at)), err
}

func (s *Store) step(ctx context.Context, name string, st stamp.Step) (driver.Term, error) {
	return run(ctx, s, string(st.Kind)+" "+fence.Quote(name), func(ctx context.Context) (driver.Term, error) {
		c := s.newCall(name, st)
		t, at, err := c.take(ctx)
		if err != nil {
			return driver.Term{}, err
		}
		return t.For(name, stamped(at)), nil
	})
}
