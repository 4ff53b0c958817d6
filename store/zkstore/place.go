package zkstore

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Wait implements driver.Queue. A place is a znode of the session, which lasts as long as
// that: to keep it costs a reading of the line. One of which nothing is heard, while the
// process lives, is removed by the process.
func (s *Store) Wait(ctx context.Context, r driver.Request, keep time.Duration) (driver.Place, error) {
	if err := r.CheckWait(s.props, keep); err != nil {
		return driver.Place{}, err
	}
	return run(ctx, s, "wait for "+fence.Quote(r.Name), func(ctx context.Context) (driver.Place, error) {
		had := s.places.hold(s, r.Name, r.Attempt, keep)
		if had.own == "" {
			return s.enter(ctx, r, keep)
		}
		l, err := s.line(ctx, r.Name)
		if err != nil {
			return driver.Place{}, err
		}
		return s.stay(ctx, r, keep, had, l)
	})
}

// WaitAll implements driver.BatchQueue: each line is read once for all who stay in it.
func (s *Store) WaitAll(ctx context.Context, all []driver.Waiting) []driver.Placed {
	done := make([]driver.Placed, len(all))
	var rest []int
	lines := map[string]line{}
	for i, w := range all {
		if w.Request.CheckWait(s.props, w.Keep) != nil {
			rest = append(rest, i)
			continue
		}
		had := s.places.hold(s, w.Request.Name, w.Request.Attempt, w.Keep)
		var here bool
		if done[i].Place, here = s.stays(ctx, w, had, lines); !here {
			rest = append(rest, i)
		}
	}
	_, _ = each(rest, func(i int) (struct{}, error) {
		done[i].Place, done[i].Err = s.Wait(ctx, all[i].Request, all[i].Keep)
		return struct{}{}, nil
	})
	return done
}

// stays reports whether one of many has its place still. lines are those that were read
// for the others.
func (s *Store) stays(ctx context.Context, w driver.Waiting, had place, lines map[string]line) (driver.Place, bool) {
	l, known := lines[w.Request.Name]
	if !known {
		var err error
		l, err = run(ctx, s, "wait", func(ctx context.Context) (line, error) { return s.line(ctx, w.Request.Name) })
		if err != nil {
			return driver.Place{}, false
		}
		lines[w.Request.Name] = l
	}
	ahead, own := l.of(w.Request.Attempt)
	return driver.Place{Ahead: ahead, Waited: time.Since(had.since)}, own != "" && own == had.own && had.keep == w.Keep
}

// stay keeps a place in a line, or takes another one where it is not there any more.
func (s *Store) stay(ctx context.Context, r driver.Request, keep time.Duration, had place, l line) (driver.Place, error) {
	ahead, own := l.of(r.Attempt)
	if own == "" {
		return s.enter(ctx, r, keep)
	}
	if had.keep != keep {
		body := waiting{r.Holder, keep}.encode()
		_, err := ask(ctx, s, func(c *zk.Conn, _ uint64) (*zk.Stat, error) { return c.Set(s.paths.waiter(r.Name, own), body, -1) })
		if err != nil {
			return driver.Place{}, before(err)
		}
	}
	s.places.note(r.Name, r.Attempt, own)
	return driver.Place{Ahead: ahead, Waited: time.Since(had.since)}, nil
}

// enter goes to the end of the line, unless a request whose answer was lost, or another
// client, did so for the attempt before.
func (s *Store) enter(ctx context.Context, r driver.Request, keep time.Duration) (driver.Place, error) {
	made, err := s.insert(ctx, r, keep)
	if err != nil {
		return driver.Place{}, err
	}
	l, err := s.line(ctx, r.Name)
	if err != nil {
		return driver.Place{}, err
	}
	ahead, own := l.of(r.Attempt)
	if own != made {
		if err := s.takeOut(ctx, r.Name, made); err != nil {
			return driver.Place{}, err
		}
	}
	if ahead >= driver.MaxWaiters {
		_ = s.leaveLine(ctx, r.Name, r.Attempt) // where that fails it lapses
		return driver.Place{}, &driver.FullError{Name: r.Name}
	}
	if err := s.mark(ctx, r.Name); err != nil {
		return driver.Place{}, err
	}
	s.places.note(r.Name, r.Attempt, own)
	return driver.Place{Ahead: ahead}, nil
}

// insert makes a znode at the end of the line, and finds it again where the answer was lost.
func (s *Store) insert(ctx context.Context, r driver.Request, keep time.Duration) (znode string, err error) {
	id, body := idOf(r.Attempt), waiting{r.Holder, keep}.encode()
	for p := newPause(); ; {
		path, err := ask(ctx, s, func(c *zk.Conn, _ uint64) (string, error) {
			return c.Create(s.paths.waiter(r.Name, id), body, zk.FlagEphemeralSequential, s.acl)
		})
		switch ruled := judge(err); {
		case err == nil:
			return path[strings.LastIndexByte(path, '/')+1:], nil
		case errors.Is(err, zk.ErrNoNode):
			err = s.openLine(ctx, r.Name)
		case ruled.Kind == driver.ErrUnknown:
			var l line
			if l, err = s.lineNow(ctx, r.Name); err == nil {
				if _, own := l.of(r.Attempt); own != "" {
					return own, nil
				}
			}
		}
		if err != nil && !judge(err).Again {
			return "", err
		}
		if err := before(p.Wait(ctx, nil)); err != nil {
			return "", err
		}
	}
}

// lineNow reads a line after everything that has reached the leader.
func (s *Store) lineNow(ctx context.Context, name string) (line, error) {
	if err := s.sync(ctx); err != nil {
		return line{}, err
	}
	return s.line(ctx, name)
}

// openLine makes the folder of a line. ZooKeeper removes it when it has been empty for
// a while.
func (s *Store) openLine(ctx context.Context, name string) error {
	err := s.create(ctx, s.paths.waiters(name), zk.FlagContainer)
	if errors.Is(err, zk.ErrNoNode) {
		return s.ensure(ctx, s.paths.root+"/wait")
	}
	if errors.Is(err, zk.ErrNodeExists) {
		return nil
	}
	return before(err)
}

// Leave implements driver.Queue.
func (s *Store) Leave(ctx context.Context, name, attempt string) error {
	if err := driver.CheckPlace(name, attempt); err != nil {
		return err
	}
	_, err := run(ctx, s, "leave the line for "+fence.Quote(name), func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.leaveLine(ctx, name, attempt)
	})
	return err
}

// leaveLine takes all places of an attempt out of a line: it has two where the answer that
// it got one was lost.
func (s *Store) leaveLine(ctx context.Context, name, attempt string) error {
	l, err := s.lineNow(ctx, name)
	if err != nil {
		return err
	}
	for _, znode := range l.znodes {
		if !strings.HasPrefix(znode, idOf(attempt)) {
			continue
		}
		if err := s.takeOut(ctx, name, znode); err != nil {
			return err
		}
	}
	s.places.drop(name, attempt)
	return nil
}

func (s *Store) takeOut(ctx context.Context, name, znode string) error {
	_, err := ask(ctx, s, func(c *zk.Conn, _ uint64) (struct{}, error) {
		return struct{}{}, c.Delete(s.paths.waiter(name, znode), -1)
	})
	if errors.Is(err, zk.ErrNoNode) {
		return nil
	}
	return err
}

// Waiters implements driver.Queue.
func (s *Store) Waiters(ctx context.Context, name string, limit int) ([]driver.Waiter, error) {
	if err := driver.CheckWaiters(name, limit); err != nil {
		return nil, err
	}
	return run(ctx, s, "list who waits for "+fence.Quote(name), func(ctx context.Context) ([]driver.Waiter, error) {
		l, err := s.lineNow(ctx, name)
		if err != nil {
			return nil, err
		}
		nodes, err := each(l.znodes[:min(limit, len(l.znodes))], func(znode string) (node, error) {
			return s.get(ctx, s.paths.waiter(name, znode))
		})
		var all []driver.Waiter
		for _, n := range nodes {
			if !n.found || err != nil {
				continue // it has left
			}
			w, bad := decodeWaiting(n)
			if bad != nil {
				return nil, bad
			}
			waited := max(0, s.clock.about().Sub(n.made))
			all = append(all, driver.Waiter{Holder: w.Holder, Since: n.made, Waited: waited, Left: min(w.Keep, driver.MaxKeep)})
		}
		return all, err
	})
}
