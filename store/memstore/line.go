package memstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

var _ driver.BatchQueue = (*Store)(nil)

// place is one waiter's, in the line of a name.
type place struct {
	attempt, holder string
	since, lapses   time.Time
}

// line is the living waiters for name, in order. Those whose places have lapsed go.
func (m *shared) line(name string, now time.Time) []*place {
	living := slices.DeleteFunc(m.lines[name], func(p *place) bool { return !now.Before(p.lapses) })
	if m.lines[name] = living; len(living) == 0 {
		delete(m.lines, name)
	}
	return living
}

// ahead is the living waiters who are served before attempt: all, where it has no place.
func (m *shared) ahead(name, attempt string, now time.Time) []*place {
	line := m.line(name, now)
	if i := find(line, attempt); i >= 0 {
		return line[:i]
	}
	return line
}

func find(line []*place, attempt string) int {
	return slices.IndexFunc(line, func(p *place) bool { return p.attempt == attempt })
}

// kept refuses r a name that nobody holds while others are before it in line.
func (m *shared) kept(r driver.Request, last fence.Token, now time.Time) error {
	ahead := m.ahead(r.Name, r.Attempt, now)
	if len(ahead) == 0 {
		return nil
	}
	return &driver.HeldError{
		Name: r.Name, Holder: ahead[0].holder, Token: last, Remaining: ahead[0].lapses.Sub(now),
		Ahead: len(ahead), Kept: true,
	}
}

// Wait implements driver.Queue.
func (s *Store) Wait(ctx context.Context, r driver.Request, keep time.Duration) (driver.Place, error) {
	if err := r.CheckWait(properties, keep); err != nil {
		return driver.Place{}, err
	}
	return step(ctx, s, func(m *shared, now time.Time) (driver.Place, error) { return m.wait(r, keep, now) })
}

func (m *shared) wait(r driver.Request, keep time.Duration, now time.Time) (driver.Place, error) {
	line := m.line(r.Name, now)
	i := find(line, r.Attempt)
	if i < 0 {
		if i = len(line); i == driver.MaxWaiters {
			return driver.Place{}, &driver.FullError{Name: r.Name}
		}
		line = append(line, &place{attempt: r.Attempt, holder: r.Holder, since: now})
		m.lines[r.Name] = line
	}
	line[i].lapses = now.Add(keep)
	return driver.Place{Ahead: i, Waited: now.Sub(line[i].since)}, nil
}

// WaitAll implements driver.BatchQueue.
func (s *Store) WaitAll(ctx context.Context, all []driver.Waiting) []driver.Placed {
	placed := make([]driver.Placed, len(all))
	_, err := step(ctx, s, func(m *shared, now time.Time) (struct{}, error) {
		for i, w := range all {
			if placed[i].Err = w.Request.CheckWait(properties, w.Keep); placed[i].Err == nil {
				placed[i].Place, placed[i].Err = m.wait(w.Request, w.Keep, now)
			}
		}
		return struct{}{}, nil
	})
	for i, w := range all {
		if err != nil {
			placed[i].Err = cmp.Or(w.Request.CheckWait(properties, w.Keep), err)
		}
	}
	return placed
}

// Leave implements driver.Queue.
func (s *Store) Leave(ctx context.Context, name, attempt string) error {
	if err := driver.CheckPlace(name, attempt); err != nil {
		return err
	}
	_, err := step(ctx, s, func(m *shared, now time.Time) (struct{}, error) {
		m.leaveLine(name, attempt)
		if r := m.rows[name]; r == nil || r.overFor(now) >= 0 {
			m.wake(name) // it may have been kept for the one who left
		}
		return struct{}{}, nil
	})
	return err
}

func (m *shared) leaveLine(name, attempt string) {
	line := m.lines[name]
	i := find(line, attempt)
	switch {
	case i >= 0 && len(line) == 1:
		delete(m.lines, name)
	case i >= 0:
		m.lines[name] = slices.Delete(line, i, i+1)
	}
}

// Waiters implements driver.Queue.
func (s *Store) Waiters(ctx context.Context, name string, limit int) ([]driver.Waiter, error) {
	if err := driver.CheckWaiters(name, limit); err != nil {
		return nil, err
	}
	return step(ctx, s, func(m *shared, now time.Time) ([]driver.Waiter, error) {
		line := m.line(name, now)
		var all []driver.Waiter
		for _, p := range line[:min(limit, len(line))] {
			all = append(all, driver.Waiter{
				Holder: p.holder, Since: p.since.Round(0), Waited: now.Sub(p.since), Left: p.lapses.Sub(now),
			})
		}
		return all, nil
	})
}
