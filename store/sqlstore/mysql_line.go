package sqlstore

import (
	"cmp"
	"context"
	sqldriver "database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"github.com/ringfence-go/ringfence/driver"
)

// line sends calls about places in line, all of one kind. No transaction holds its
// statements together: each is right by itself, whatever comes in between.
func (s *mysqlSession) line(ctx context.Context, calls []*call) error {
	slices.SortFunc(calls, func(a, b *call) int { return strings.Compare(a.meets(), b.meets()) })
	if calls[0].kind == leave {
		return s.leave(ctx, calls)
	}
	err := s.stand(ctx, calls)
	if s.commits {
		return err
	}
	was, failed := s.beAlone(ctx) // or else nobody sees the places, and all wait for this session
	if was == within && failed == nil {
		return s.stand(ctx, calls) // those places have gone
	}
	return cmp.Or(err, failed)
}

// leave gives up places. A session where a statement is no transaction of its own does
// nothing, and is made ready.
func (s *mysqlSession) leave(ctx context.Context, calls []*call) error {
	for _, c := range calls {
		c.answer = answer{verdict: done}
	}
	for range 2 {
		result, err := s.conn.ExecContext(ctx, bind(s.texts["line_leave"], table(calls)))
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || int(n) == len(calls) {
			return err
		}
		if was, err := s.beAlone(ctx); err != nil || was == done {
			return err // who had no place has none
		}
	}
	return nil
}

// stand keeps the places of calls, where one of them may have one, and gets places for the others.
func (s *mysqlSession) stand(ctx context.Context, calls []*call) error {
	known := false
	for _, c := range calls {
		c.answer = answer{}
		known = known || c.placed
	}
	if known {
		if err := s.change(ctx, "line_keep", table(calls)); err != nil {
			return err
		}
		if _, err := s.rank(ctx, calls); err != nil {
			return err
		}
	}
	return s.join(ctx, slices.DeleteFunc(slices.Clone(calls), func(c *call) bool { return c.answer.verdict == done }))
}

// join gives places to calls that have none, as far as there are any. One that has lapsed
// stands in the way of another: it goes, and the call is sent again.
func (s *mysqlSession) join(ctx context.Context, calls []*call) error {
	if len(calls) == 0 {
		return nil
	}
	if err := s.change(ctx, "line_join", s.places(calls)); err != nil {
		return err
	}
	dead, err := s.rank(ctx, calls)
	if err != nil {
		return err
	}
	var beyond, lapsed []*call
	for _, c := range calls {
		switch {
		case c.answer.verdict == "":
			c.answer.verdict = again
			lapsed = append(lapsed, c)
		case c.answer.ahead >= driver.MaxWaiters:
			c.answer.verdict = full
			beyond = append(beyond, c)
		}
	}
	if len(beyond) > 0 {
		err = s.change(ctx, "line_leave", table(beyond))
	}
	if err == nil && len(lapsed) > 0 {
		err = s.change(ctx, "line_lapsed", table(lapsed))
	}
	if err == nil && dead != "" {
		s.sweep(ctx, dead)
	}
	return err
}

// rank answers those that have a place, and names a line with places that lapsed long ago. By
// the way it learns whether the session commits by itself.
func (s *mysqlSession) rank(ctx context.Context, calls []*call) (dead string, err error) {
	err = rank(calls, func(name, attempt string, row func(attempt string, ahead, waited int64)) error {
		return direct(ctx, s.conn, bind(s.texts["line_order"], name, attempt), nil, func(v []sqldriver.Value) error {
			if asText(v[3]) != "0" {
				dead = name
			}
			s.commits = asText(v[4]) == "1"
			return scanPlace(v, row)
		})
	})
	return dead, err
}

// sweep removes what vanished waiters have left. It reads no more than is committed, so
// that it locks the rows that go and not the places where others may come. Where it
// fails, the next one to join tries.
func (s *mysqlSession) sweep(ctx context.Context, name string) {
	if _, err := s.conn.ExecContext(ctx, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED"); err == nil {
		_ = s.change(ctx, "line_sweep", name)
	}
}

// served gives up the place of each call that was granted its name. Where that fails the
// place lapses, and counts for nothing until another is granted the name.
func (s *mysqlSession) served(ctx context.Context, calls []*call) {
	var gone []*call
	for _, c := range calls {
		if c.kind == acquire && c.placed && (c.answer.verdict == done || c.answer.verdict == same) {
			gone = append(gone, c)
		}
	}
	if len(gone) == 0 {
		return
	}
	for range maxLost {
		if err := s.change(ctx, "line_leave", table(gone)); err == nil || !MySQL.judge(err).again {
			return
		}
	}
}

// places is the calls as rows of the table of waiters.
func (s *mysqlSession) places(calls []*call) fragment {
	var rows []string
	for _, c := range calls {
		rows = append(rows, fmt.Sprintf("(%s, %s, %s, %s, %s + %d)", literal(c.name), literal(c.attempt), literal(c.holder),
			s.texts["now"], s.texts["now"], c.ttl.Microseconds()))
	}
	return fragment(strings.Join(rows, ", "))
}

func (s *mysqlSession) change(ctx context.Context, name string, args ...any) error {
	_, err := s.conn.ExecContext(ctx, bind(s.texts[name], args...))
	return err
}
