package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

var _ driver.Queue = (*Store)(nil)

// Wait implements driver.Queue. To keep a place takes two statements, to get one five.
func (s *Store) Wait(ctx context.Context, r driver.Request, keep time.Duration) (driver.Place, error) {
	if err := r.CheckWait(s.props, keep); err != nil {
		return driver.Place{}, err
	}
	ms := s.props.RoundTTL(keep).Milliseconds()
	s.placed.Store(r.Attempt, true)
	place, err := reading(ctx, s, func(ctx context.Context, c *sql.Conn) (driver.Place, error) {
		return s.wait(ctx, c, r, ms)
	})
	if errors.Is(err, driver.ErrFull) {
		return driver.Place{}, &driver.FullError{Name: r.Name}
	}
	return place, s.explain("wait for "+fence.Quote(r.Name), true, err)
}

func (s *Store) wait(ctx context.Context, c *sql.Conn, r driver.Request, keep int64) (p driver.Place, err error) {
	kept, err := s.change(ctx, c, "line_keep", r.Name, r.Attempt, keep)
	if err != nil {
		return p, err
	}
	if kept == 0 {
		if err := s.joinLine(ctx, c, r, keep); err != nil {
			return p, err
		}
	}
	var waited int64
	statement, args := s.backend.statement("line_place", r.Name, r.Attempt)
	err = c.QueryRowContext(ctx, statement, args...).Scan(&p.Ahead, &waited)
	if errors.Is(err, sql.ErrNoRows) {
		err = errLapsed
	}
	p.Waited = time.Duration(waited) * time.Millisecond
	return p, err
}

var errLapsed = retry("").because(errors.New("the place lapsed before it was read"))

func (s *Store) joinLine(ctx context.Context, c *sql.Conn, r driver.Request, keep int64) error {
	if _, err := s.change(ctx, c, "line_sweep", r.Name); err != nil {
		return err
	}
	var waiting int
	statement, args := s.backend.statement("line_count", r.Name)
	if err := c.QueryRowContext(ctx, statement, args...).Scan(&waiting); err != nil {
		return err
	}
	if waiting >= driver.MaxWaiters {
		return ruling{kind: driver.ErrFull, err: driver.ErrFull}
	}
	_, err := s.change(ctx, c, "line_join", r.Name, r.Attempt, r.Holder, keep)
	return err
}

// change executes a statement, and returns how many rows it changed.
func (s *Store) change(ctx context.Context, c *sql.Conn, name string, args ...any) (int64, error) {
	statement, args := s.backend.statement(name, args...)
	return affected(c.ExecContext(ctx, statement, args...))
}

// Leave implements driver.Queue.
func (s *Store) Leave(ctx context.Context, name, attempt string) error {
	if err := driver.CheckPlace(name, attempt); err != nil {
		return err
	}
	_, err := reading(ctx, s, func(ctx context.Context, c *sql.Conn) (int64, error) {
		return s.change(ctx, c, "line_leave", name, attempt)
	})
	if err == nil {
		s.placed.Delete(attempt)
	}
	return s.explain("leave the line for "+fence.Quote(name), true, err)
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
		w.Since = moment(since)
		w.Waited, w.Left = time.Duration(waited)*time.Millisecond, time.Duration(left)*time.Millisecond
		all = append(all, w)
	}
	return all, rows.Err()
}
