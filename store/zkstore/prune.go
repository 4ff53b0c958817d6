package zkstore

import (
	"context"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// pruneAtOnce is how many records go in one step, which stays far below the server's
// limit of 1 MiB.
const pruneAtOnce = 100

// Prune implements driver.Pruner. The floor rises above the numbers that go in the
// step in which they go. Every client then forgets what it knows, and reads again.
func (s *Store) Prune(ctx context.Context, idle time.Duration, limit int) (int, error) {
	if idle < 0 || limit < 1 {
		return 0, fmt.Errorf("%w clean-up of %d names idle for %s: want 1 or more, and no negative time", fence.ErrInvalid, limit, idle)
	}
	return run(ctx, s, "prune", func(ctx context.Context) (gone int, err error) {
		names, err := s.names(ctx)
		if err != nil {
			return 0, err
		}
		at, err := s.readClock(ctx)
		if err != nil {
			return 0, err
		}
		for len(names) > 0 && gone < limit && err == nil {
			n := min(len(names), pruneAtOnce)
			var removed int
			removed, err = s.pruneSome(ctx, names[:n], at, idle, limit-gone)
			names, gone = names[n:], gone+removed
		}
		return gone, err
	})
}

// pruneSome removes up to limit of these records that have been over for idle at the
// leader's time at.
func (s *Store) pruneSome(ctx context.Context, names []string, at time.Time, idle time.Duration, limit int) (int, error) {
	views, err := each(names, func(name string) (view, error) { return s.look(ctx, name, false) })
	if err != nil {
		return 0, err
	}
	var over []view
	for _, v := range views {
		if !v.found || v.Now != nil && v.Now.OverFor(at) < idle || len(over) == limit {
			continue
		}
		if v.Line {
			if v, err = s.disband(ctx, v); err != nil && !judge(err).Again {
				return 0, before(err)
			}
		}
		if err == nil && !v.Line { // else some wait for it
			over = append(over, v)
		}
	}
	return s.remove(ctx, over)
}

// remove removes records as they were read. One that has changed since stays.
func (s *Store) remove(ctx context.Context, views []view) (int, error) {
	doubt := false
	for p := newPause(); len(views) > 0; {
		f, err := s.currentFloor(ctx)
		if err != nil {
			return 0, inDoubt(doubt, err)
		}
		var highest fence.Token
		var deletes []any
		for _, v := range views {
			if v.Now != nil {
				highest = max(highest, v.Now.Token)
			}
			deletes = append(deletes, &zk.DeleteRequest{Path: s.paths.lease(v.Name), Version: v.version})
		}
		done, err := s.raise(ctx, f, highest, deletes...)
		r := judge(err)
		switch {
		case err == nil:
			s.memory.forgetAll()
			return len(views), nil
		case done.failed > 0: // a record that has changed
			i := done.failed - 1
			views = append(views[:i:i], views[i+1:]...)
			continue
		case !r.Again && r.Kind != driver.ErrUnknown:
			return 0, inDoubt(doubt, err)
		}
		doubt = doubt || r.Kind == driver.ErrUnknown
		if err := before(p.Wait(ctx, nil)); err != nil {
			return 0, inDoubt(doubt, err)
		}
	}
	return 0, nil
}
