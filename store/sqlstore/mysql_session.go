package sqlstore

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"slices"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/fence"
)

// Verdicts of the statements that never leave a session.
const (
	manual verdict = "manual" // the session does not commit by itself: nothing was done
	within verdict = "within" // it was left in the middle of a transaction: nothing was done
	fresh  verdict = "fresh"  // the name has no record yet
)

type mysqlSession struct {
	*mysql
	conn *sql.Conn
	// altered: autocommit is to be set back before the pool gets the connection.
	altered bool
	// commits: each statement is known to be a transaction of its own.
	commits bool
}

func (s *mysqlSession) release(error) {
	if s.altered {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, err := s.conn.ExecContext(ctx, "SET autocommit = 0"); err != nil {
			discard(s.conn)
		}
	}
	_ = s.conn.Close()
	s.pool.look()
}

// commitAlone makes each statement its own transaction. It ends one that may be open,
// which nobody can be in the middle of while the connection is ours.
func (s *mysqlSession) commitAlone(ctx context.Context) error {
	s.altered = true
	_, err := s.conn.ExecContext(ctx, "SET autocommit = 1")
	return err
}

// endTransaction ends one that a program has left open, as a connection that it had
// closed would: it was for that program to commit.
func (s *mysqlSession) endTransaction(ctx context.Context) error {
	_, err := s.conn.ExecContext(ctx, "ROLLBACK")
	return err
}

// beAlone is commitAlone or endTransaction where one is needed, and tells which.
func (s *mysqlSession) beAlone(ctx context.Context) (was verdict, err error) {
	if err := s.conn.QueryRowContext(ctx, s.texts["session"]).Scan(&was); err != nil {
		return was, err
	}
	switch was {
	case manual:
		err = s.commitAlone(ctx)
	case within:
		err = s.endTransaction(ctx)
	}
	return was, err
}

// run sends the calls, all of one kind. A session that does not commit by itself, is in
// a transaction or has not been verified says so and is made ready, and the calls are
// sent once more.
func (s *mysqlSession) run(ctx context.Context, calls []*call) error {
	if calls[0].kind.inLine() {
		return s.line(ctx, calls)
	}
	verified, ended := false, false
	for {
		err := s.send(ctx, calls)
		if err != nil {
			return err
		}
		switch v := calls[0].answer.verdict; {
		case v == manual && !s.altered:
			err = s.commitAlone(ctx)
		case v == within && !ended:
			ended = true
			err = s.endTransaction(ctx)
		case v == strange && !verified:
			verified = true
			_, err = s.conn.ExecContext(ctx, s.texts["verify"])
		default:
			s.served(ctx, calls)
			return nil
		}
		if err != nil {
			return before(MySQL.judge(err))
		}
	}
}

// send makes one transaction of many releases, and of what is asked about them: or
// else a name that was released could be another's before it was asked for, and look
// as if it had been so all along.
func (s *mysqlSession) send(ctx context.Context, calls []*call) error {
	if len(calls) == 1 || calls[0].kind != release {
		return s.step(ctx, calls)
	}
	return inTransaction(ctx, s.conn, func() error { return s.step(ctx, calls) })
}

// step has leaner statements for a call that goes alone. Where the leanest did nothing for no
// reason that shows, the next one looks closer.
func (s *mysqlSession) step(ctx context.Context, calls []*call) error {
	slices.SortFunc(calls, func(a, b *call) int { return strings.Compare(a.name, b.name) })
	names := s.lean(calls)
	locked, err := s.try(ctx, names[0], calls)
	if err != nil || locked || len(names) == 1 || calls[0].answer.verdict != again {
		return err
	}
	_, err = s.try(ctx, names[1], calls)
	if err == nil && calls[0].answer.verdict == done {
		s.sweep(ctx, calls[0].name)
	}
	return err
}

// lean names the statements for calls, of which each looks closer than the one before it.
func (s *mysqlSession) lean(calls []*call) []string {
	c := calls[0]
	switch {
	case len(calls) > 1:
		return []string{string(c.kind)}
	case c.kind == acquire && !c.placed && s.prepared != nil:
		return []string{"acquire_lean", "acquire_one"}
	}
	return []string{string(c.kind) + "_one"}
}

// try sends one statement. What it did not do is asked for in another. locked: it would have had
// to wait for a lock, and so did nothing.
func (s *mysqlSession) try(ctx context.Context, name string, calls []*call) (locked bool, err error) {
	for _, c := range calls {
		c.answer = answer{}
	}
	n, batch, err := s.act(ctx, name, calls)
	if len(calls) == 1 && mysqlNumber(err) == lockTimeout {
		locked, err = true, nil
	}
	if err != nil || n == len(calls) && calls[len(calls)-1].answer.verdict == done {
		return locked, err
	}
	kind := calls[0].kind
	ours := 0 // transactions; see send
	if kind == release && len(calls) > 1 {
		ours = 1
	}
	why := bind(s.texts["ended_why"], table(calls), batch, ours)
	if kind == acquire {
		why = bind(s.texts["acquire_why"], table(calls))
	}
	if err := s.ask(ctx, why, calls); err != nil {
		return locked, afterWriting(n, err)
	}
	return locked, s.begin(ctx, calls, n)
}

// act sends what changes the records there are, and returns how many it changed and
// its number. The answers are set where that tells them all.
func (s *mysqlSession) act(ctx context.Context, name string, calls []*call) (n int, batch int64, err error) {
	batch = batchNumber()
	var result sql.Result
	if c := calls[0]; len(calls) > 1 {
		result, err = s.conn.ExecContext(ctx, bind(s.texts[name], table(calls), batch))
	} else if c.kind == acquire {
		result, err = s.one(ctx, name, []any{c.name, c.attempt, c.holder, c.milliseconds(), batch})
	} else {
		result, err = s.one(ctx, name, []any{c.name, int64(c.token), c.attempt, c.milliseconds(), batch})
	}
	if err != nil {
		return 0, batch, err
	}
	changed, err := result.RowsAffected()
	if n = int(changed); err != nil || n < len(calls) {
		return n, batch, err
	}
	switch c := calls[0]; {
	case c.kind != acquire:
		for _, c := range calls {
			c.answer = answer{verdict: done, token: c.token}
		}
	case len(calls) == 1:
		c.answer, err = granted(result)
	}
	return n, batch, err
}

// granted is the answer with the token that the server handed back.
func granted(r sql.Result) (answer, error) {
	token, err := r.LastInsertId()
	return answer{verdict: done, token: fence.Token(token)}, err
}

// begin makes the records of the names that have none. changed says how many records
// the same batch has changed before.
func (s *mysqlSession) begin(ctx context.Context, calls []*call, changed int) error {
	var names []*call
	for _, c := range calls {
		if c.answer.verdict == fresh {
			c.answer.verdict = again
			names = append(names, c)
		}
	}
	if len(names) == 0 {
		return nil
	}
	result, err := s.conn.ExecContext(ctx, bind(s.texts["acquire_fresh"], table(names), batchNumber()))
	if mysqlNumber(err) == duplicateKey {
		return nil // another caller was faster with one of them
	}
	if err != nil {
		return afterWriting(changed, err)
	}
	n, err := result.RowsAffected()
	switch {
	case err != nil || n == 0:
		return err
	case len(names) == 1:
		names[0].answer, err = granted(result)
		return err
	}
	return afterWriting(1, s.ask(ctx, bind(s.texts["acquire_why"], table(names)), names))
}

// ask answers calls by the rows of a statement.
func (s *mysqlSession) ask(ctx context.Context, statement string, calls []*call) error {
	return direct(ctx, s.conn, statement, nil, func(row []sqldriver.Value) error { return answered(row, calls) })
}

// afterWriting is err where n records of the same batch have been changed: whatever
// the database says of a later statement, it is no word about them.
func afterWriting(n int, err error) error {
	if err == nil || n == 0 {
		return err
	}
	return doubt.because(err)
}
