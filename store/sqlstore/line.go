package sqlstore

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

var _ driver.BatchQueue = (*Store)(nil)

// Wait implements driver.Queue.
func (s *Store) Wait(ctx context.Context, r driver.Request, keep time.Duration) (driver.Place, error) {
	c, err := s.waiting(r, keep)
	if err != nil {
		return driver.Place{}, err
	}
	if ctx.Err() != nil {
		return driver.Place{}, left(ctx, false, nil).fault("")
	}
	p := &progress{call: c}
	s.finish(ctx, p)
	return p.place(), p.err
}

// WaitAll implements driver.BatchQueue: up to 256 places go in one statement, or one
// transaction.
func (s *Store) WaitAll(ctx context.Context, all []driver.Waiting) []driver.Placed {
	placed := make([]driver.Placed, len(all))
	var at []int // the place of each step in all
	var steps []*progress
	for i, w := range all {
		c, err := s.waiting(w.Request, w.Keep)
		if err != nil {
			placed[i].Err = err
			continue
		}
		at, steps = append(at, i), append(steps, &progress{call: c})
	}
	s.all(ctx, steps)
	for i, p := range steps {
		placed[at[i]] = driver.Placed{Place: p.place(), Err: p.err}
	}
	return placed
}

func (s *Store) waiting(r driver.Request, keep time.Duration) (call, error) {
	if err := r.CheckWait(s.props, keep); err != nil {
		return call{}, err
	}
	_, placed := s.placed.LoadOrStore(r.Attempt, true)
	return call{kind: wait, name: r.Name, attempt: r.Attempt, holder: r.Holder, ttl: s.props.RoundTTL(keep), placed: placed}, nil
}

func (p *progress) place() driver.Place {
	return driver.Place{Ahead: p.answer.ahead, Waited: p.answer.waited}
}

// ranking gives row those who wait for a name, with how many are before each and for how
// many milliseconds it has waited: all, or only the attempt.
type ranking func(name, attempt string, row func(attempt string, ahead, waited int64)) error

// rank answers those of calls that have a place. Each line is read once.
func rank(calls []*call, read ranking) error {
	lines := map[string]map[string]*call{}
	for _, c := range calls {
		if c.kind == wait {
			if lines[c.name] == nil {
				lines[c.name] = map[string]*call{}
			}
			lines[c.name][c.attempt] = c
		}
	}
	for name, line := range lines {
		only := "" // no attempt
		if len(line) == 1 {
			for only = range line {
			}
		}
		err := read(name, only, func(attempt string, ahead, waited int64) {
			if c := line[attempt]; c != nil {
				c.answer = answer{verdict: done, ahead: int(ahead), waited: lasting(waited)}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// scanPlace reads a row of the statement line_order: three columns.
func scanPlace(v []sqldriver.Value, row func(attempt string, ahead, waited int64)) error {
	ahead, err := asInt(v[1])
	waited, err2 := asInt(v[2])
	row(asText(v[0]), ahead, waited)
	return errors.Join(err, err2)
}

// Leave implements driver.Queue.
func (s *Store) Leave(ctx context.Context, name, attempt string) error {
	if err := driver.CheckPlace(name, attempt); err != nil {
		return err
	}
	defer s.placed.Delete(attempt)
	_, err := s.do(ctx, call{kind: leave, name: name, attempt: attempt})
	return err
}

// Waiters implements driver.Queue.
func (s *Store) Waiters(ctx context.Context, name string, limit int) ([]driver.Waiter, error) {
	if err := driver.CheckWaiters(name, limit); err != nil {
		return nil, err
	}
	all, err := reading(ctx, s, func(ctx context.Context, c *sql.Conn) ([]driver.Waiter, error) {
		statement, args := s.backend.statement("line_list", name, limit)
		return waiters(c.QueryContext(ctx, statement, args...))
	})
	return all, s.explain("list who waits for "+fence.Quote(name), false, err)
}

func waiters(rows *sql.Rows, err error) ([]driver.Waiter, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []driver.Waiter
	for rows.Next() {
		var w driver.Waiter
		var since, waited, left int64
		if err := rows.Scan(&w.Holder, &since, &waited, &left); err != nil {
			return nil, err
		}
		w.Since, w.Waited, w.Left = moment(since), lasting(waited), lasting(left)
		all = append(all, w)
	}
	return all, rows.Err()
}
