package sqlstore

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"strconv"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// sqliteSession is a connection with the settings that a lease needs, and the
// statements prepared on it.
type sqliteSession struct {
	*sqlite
	conn     *sql.Conn
	prepared map[string]sqldriver.Stmt

	// what to set back before the pool gets the connection
	busyTimeout int
	synchronous int
}

// busyTimeout is how long SQLite itself waits for a lock, in milliseconds: long
// enough for another's commit to pass, and too short for a caller whose context
// has ended to be left in doubt.
const busyTimeout = 5

// begin makes a commit wait for the disk, and a lock wait no longer than a moment.
func (s *sqliteSession) begin(ctx context.Context) error {
	if err := s.conn.QueryRowContext(ctx, "PRAGMA busy_timeout").Scan(&s.busyTimeout); err != nil {
		return err
	}
	if err := s.conn.QueryRowContext(ctx, "PRAGMA synchronous").Scan(&s.synchronous); err != nil {
		return err
	}
	return s.set(ctx, busyTimeout, max(s.synchronous, 2))
}

func (s *sqliteSession) set(ctx context.Context, timeout, synchronous int) error {
	for name, value := range map[string]int{"busy_timeout": timeout, "synchronous": synchronous} {
		if _, err := s.conn.ExecContext(ctx, "PRAGMA "+name+"="+strconv.Itoa(value)); err != nil {
			return err
		}
	}
	return nil
}

// broken reports whether err, of what was last done on a connection, leaves a
// doubt about its state.
func broken(err error) bool { return err != nil && !SQLite.judge(err).again }

// end gives the connection back as it was, or closes it where it is broken.
func (s *sqliteSession) end(err error) {
	gone := s.conn.Raw(func(any) error {
		for _, st := range s.prepared {
			_ = st.Close()
		}
		return nil
	})
	if gone != nil {
		return // database/sql has closed the connection meanwhile
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if broken(err) || s.set(ctx, s.busyTimeout, s.synchronous) != nil {
		discard(s.conn)
	}
	_ = s.conn.Close()
}

func (s *sqliteSession) release(err error) {
	if !broken(err) && s.db.Stats().MaxOpenConnections != 1 {
		s.kept = s
		return
	}
	s.end(err)
}

// run executes one call as its own transaction, several in one. A lone call writes
// at once, since the write lock is mostly free, and looks when it isn't; but one of
// those who wait looks first, and takes several statements then.
func (s *sqliteSession) run(ctx context.Context, calls []*call) error {
	var busy error
	several := len(calls) > 1 || calls[0].kind == wait || calls[0].placed
	if !several {
		if busy = s.step(ctx, calls[0]); busy == nil || !SQLite.judge(busy).again {
			return busy
		}
	}
	calls, err := s.look(ctx, calls)
	switch {
	case err != nil:
		return before(SQLite.judge(err))
	case len(calls) == 0:
		return nil
	case busy != nil:
		return busy
	case !several:
		return s.step(ctx, calls[0])
	}
	return exclusively(ctx, s.conn, func() error {
		for _, c := range calls {
			if err := s.step(ctx, c); err != nil {
				return err
			}
		}
		return s.rank(ctx, calls)
	})
}

// look answers each acquire that can be refused, and returns the calls that have
// to write. It needs no write lock: who holds a name is known also while another
// connection keeps that, be it the holder's own transaction.
func (s *sqliteSession) look(ctx context.Context, calls []*call) ([]*call, error) {
	rest := make([]*call, 0, len(calls))
	for _, c := range calls {
		if c.kind == acquire {
			if err := s.ask(ctx, c, s.why(c)); err != nil {
				return nil, err
			}
			c.stands = c.answer.verdict != again
		}
		if !c.stands {
			rest = append(rest, c)
		}
	}
	return rest, nil
}

// step executes one call's statement, and where it did nothing asks why.
func (s *sqliteSession) step(ctx context.Context, c *call) error {
	switch c.kind {
	case acquire:
		err := s.either(ctx, c, query{"acquire", []any{c.name, c.attempt, c.holder, c.milliseconds(), s.expected()}})
		if err == nil && c.placed && (c.answer.verdict == done || c.answer.verdict == same) {
			_, err = s.change(ctx, query{"line_leave", []any{c.name, c.attempt}})
		}
		return err
	case wait:
		return s.wait(ctx, c)
	case leave:
		c.answer = answer{verdict: done}
		_, err := s.change(ctx, query{"line_leave", []any{c.name, c.attempt}})
		return err
	case renew:
		return s.either(ctx, c, query{"renew", []any{c.name, int64(c.token), c.attempt, c.milliseconds()}})
	default:
		return s.either(ctx, c, query{"release", []any{c.name, int64(c.token), c.attempt}})
	}
}

// wait keeps the place in line that c has, or gets it one.
func (s *sqliteSession) wait(ctx context.Context, c *call) error {
	c.answer = answer{verdict: done}
	n, err := s.change(ctx, query{"line_keep", []any{c.name, c.attempt, c.milliseconds()}})
	if err != nil || n > 0 {
		return err
	}
	if _, err := s.change(ctx, query{"line_sweep", []any{c.name}}); err != nil {
		return err
	}
	n, err = s.change(ctx, query{"line_join", []any{c.name, c.attempt, c.holder, c.milliseconds(), int64(driver.MaxWaiters)}})
	if n == 0 {
		c.answer.verdict = full
	}
	return err
}

// rank reads how many are before those who wait.
func (s *sqliteSession) rank(ctx context.Context, calls []*call) error {
	return rank(calls, func(name, attempt string, row func(attempt string, ahead, waited int64)) error {
		return s.query(ctx, query{"line_order", []any{name, attempt}}, func(v []sqldriver.Value) error { return scanPlace(v, row) })
	})
}

// change executes q, and returns how many rows it says that it has changed.
func (s *sqliteSession) change(ctx context.Context, q query) (n int, err error) {
	err = s.query(ctx, q, func([]sqldriver.Value) error { n++; return nil })
	return n, err
}

// why reads what keeps c from being done.
func (s *sqliteSession) why(c *call) query {
	if c.kind == acquire {
		return query{"acquire_why", []any{c.name, c.attempt, s.expected()}}
	}
	return query{"ended_why", []any{c.name, int64(c.token), c.attempt}}
}

// query is a statement and its arguments.
type query struct {
	statement string
	args      []any
}

// either answers c by the token that act returns, or else by why it did nothing.
func (s *sqliteSession) either(ctx context.Context, c *call, act query) error {
	err := s.query(ctx, act, func(row []sqldriver.Value) error {
		token, err := asInt(row[0])
		c.answer = answer{verdict: done, token: fence.Token(token)}
		return err
	})
	if err != nil || c.answer.verdict == done {
		return err
	}
	return s.ask(ctx, c, s.why(c))
}

// ask answers c by the row that q returns.
func (s *sqliteSession) ask(ctx context.Context, c *call, q query) error {
	return s.query(ctx, q, func(row []sqldriver.Value) (err error) {
		c.answer, err = scanAnswer(row)
		return err
	})
}

// query executes q, prepared once for the session.
func (s *sqliteSession) query(ctx context.Context, q query, scan func([]sqldriver.Value) error) error {
	return s.conn.Raw(func(conn any) error {
		st := s.prepared[q.statement]
		if st == nil {
			var err error
			if st, err = prepare(ctx, conn, s.texts[q.statement]); err != nil {
				return err
			}
			s.prepared[q.statement] = st
		}
		return execute(ctx, st, q.args, scan)
	})
}
