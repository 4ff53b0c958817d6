package zkstore

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// call is one step on its way.
type call struct {
	store *Store
	name  string
	step  step
	lost  int // writes of which no answer came: the step may have been taken
	down  int // requests after that which could not be made
	pause pause
}

// maxFailed is how many failed requests one call puts up with.
const maxFailed = 4

// take takes the step, in as many tries as it needs to write in the place of what it
// knows. It returns the term, and a time at which it was so.
func (c *call) take(ctx context.Context) (*term, time.Time, error) {
	v, known := c.store.memory.view(c.name, c.store.link.now())
	current := known // a record that is known and does not suit is looked at with care
	known = known && c.suits(v)
	for {
		var err error
		if !known {
			v, err = c.store.look(ctx, c.name, current)
		}
		if err == nil {
			var t *term
			var at time.Time
			if t, at, err = c.try(ctx, v, known, current); t != nil {
				return t, at, nil
			}
		}
		known, current = false, true
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
	again := r.again || r.kind == driver.ErrUnknown
	if !again && c.lost > 0 && r.kind == driver.ErrUnavailable {
		again = true
		c.down++
	}
	if !again || ctx.Err() != nil || c.lost+c.down > maxFailed {
		return inDoubt(c.lost > 0, err)
	}
	if err := c.pause.wait(ctx); err != nil {
		return inDoubt(c.lost > 0, err)
	}
	return nil
}

// refused is the error of a step that the record refuses. Whether a release came
// in time can't be told any more once somebody else has the name.
func (c *call) refused(err error) error {
	var end *driver.EndedError
	if c.lost > 0 && c.step.Kind != acquire && errors.As(err, &end) && end.Cause == driver.EndSuperseded {
		return ruling{kind: driver.ErrUnknown, err: errors.New("the name was granted again before the answer came"), hint: resolveHint}
	}
	return err
}

// suits reports whether a record that this store knows, and that may have changed
// since, is worth a write without another read.
func (c *call) suits(v view) bool {
	if c.step.Kind == acquire {
		return v.free() && (v.now == nil || v.now.Attempt != c.step.Attempt)
	}
	return v.now.is(c.step.Token, c.step.Attempt) && v.now.Cause == ""
}

// try judges what is known, and writes the step in its place. Where a read was not
// current it refuses nothing: the server that answered may lag.
func (c *call) try(ctx context.Context, v view, remembered, current bool) (*term, time.Time, error) {
	if !remembered {
		t, at, err := c.foresee(ctx, v)
		if t != nil || err != nil {
			if current {
				return t, at, err
			}
			return nil, at, errAgain
		}
	}
	after, err := c.write(ctx, v)
	if err != nil {
		if judge(err).kind == driver.ErrUnknown {
			c.lost++
		}
		return nil, time.Time{}, err
	}
	return c.settle(after)
}

// foresee spares the store a write that would change nothing. An acquire is judged
// by the leader's time, a renewal or a release by its write alone, unless the record
// shows what can't change any more.
func (c *call) foresee(ctx context.Context, v view) (*term, time.Time, error) {
	if c.lost > 0 {
		if t, at, err := c.overwritten(v); t != nil {
			return t, at, err
		}
	}
	if c.step.Kind != acquire {
		_, err := c.step.apply(c.name, v.now, v.at)
		return nil, v.at, err
	}
	at, err := c.store.timeOf(ctx, v)
	if err != nil {
		return nil, at, err
	}
	now, err := c.step.apply(c.name, v.now, at)
	if err == nil && now == v.now {
		return now, at, nil // the attempt has its grant
	}
	return nil, at, err
}

// write writes the step in the place of v, in one request.
func (c *call) write(ctx context.Context, v view) (view, error) {
	st := c.step
	if st.Kind == acquire {
		st.Floor = v.floor.Value
	}
	body, err := json.Marshal(entry{Name: c.name, Was: v.now, Step: st})
	if err != nil {
		return v, refuse(err, "")
	}
	place := c.store.paths.lease(c.name)
	ops := []any{c.store.condition(v.floor)}
	if !v.found {
		ops = append(ops, &zk.CreateRequest{Path: place, Acl: c.store.acl}) // its answer has no time
	}
	ops = append(ops, &zk.SetDataRequest{Path: place, Data: body, Version: v.version})
	done, err := c.store.commit(ctx, v.epoch, ops...)
	if err != nil {
		return v, c.store.missed(ctx, c.name, done, err)
	}
	s := done.of[len(ops)-1].Stat
	return resolve(c.name, node{found: true, data: body, version: s.Version, wrote: stamp(s), epoch: v.epoch}, v.floor)
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
func (c *call) settle(v view) (*term, time.Time, error) {
	c.store.memory.keep(v)
	if v.err != nil {
		c.lost = 0
		return nil, v.at, v.err
	}
	return v.now, v.at, nil
}

// overwritten finds an ending whose answer was lost, also in what was written after it.
// An acquire finds its attempt, and to renew twice does no harm.
func (c *call) overwritten(v view) (*term, time.Time, error) {
	ending := map[kind]driver.EndCause{release: driver.EndReleased, force: driver.EndForced}[c.step.Kind]
	for _, t := range []*term{v.now, v.was} {
		if ending != "" && t.is(c.step.Token, c.step.Attempt) && t.Cause == ending && t.By == c.step.By {
			return t, t.EndedAt, nil
		}
	}
	return nil, v.at, errAgain
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
	if v.free() {
		return v.at, nil
	}
	at, err := s.timeFor(ctx, v.now.Expires)
	if at.Before(v.at) {
		at = v.at
	}
	return at, err
}

func (s *Store) inspect(ctx context.Context, name string) (view, driver.Record, error) {
	v, err := s.look(ctx, name, true)
	if err != nil {
		return v, driver.Record{}, err
	}
	at, err := s.timeOf(ctx, v)
	return v, v.record(at), err
}

func (s *Store) step(ctx context.Context, name string, st step) (driver.Term, error) {
	return run(ctx, s, string(st.Kind)+" "+fence.Quote(name), func(ctx context.Context) (driver.Term, error) {
		c := call{store: s, name: name, step: st}
		t, at, err := c.take(ctx)
		if err != nil {
			return driver.Term{}, err
		}
		return t.term(name, at), nil
	})
}
