package sqlstore

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

type postgresSession struct {
	*postgres
	conn *sql.Conn
}

func (s *postgresSession) release(error) {
	_ = s.conn.Close()
	s.pool.look()
}

// run sends the calls, all of one kind. Where another server answers than the one
// that was verified last, it verifies that one and sends them once more: it may be
// the same, started again.
func (s *postgresSession) run(ctx context.Context, calls []*call) error {
	if calls[0].kind.inLine() {
		return s.line(ctx, calls)
	}
	server := *s.server.Load()
	err := s.send(ctx, server, calls)
	if err == nil && calls[0].answer.verdict == strange {
		var now incarnation
		if now, err = s.verify(ctx, s.conn); err == nil && now != server {
			err = s.send(ctx, now, calls)
		}
	}
	if err != nil {
		return err
	}
	return s.confirm(ctx, calls)
}

// confirm makes sure of a grant that an earlier try got, before anybody is told of it.
// That try's own commit may have ended without an answer, and so without the
// standbys that the server waits for: a later commit waits for them as well.
func (s *postgresSession) confirm(ctx context.Context, calls []*call) error {
	if !slices.ContainsFunc(calls, func(c *call) bool { return c.answer.verdict == same }) {
		return nil
	}
	none := func([]sqldriver.Value) error { return nil }
	return direct(ctx, s.conn, s.texts["confirm"], nil, none)
}

// send has leaner statements for a call that goes alone. Where they did nothing, the one
// for many does it again and says why.
func (s *postgresSession) send(ctx context.Context, server incarnation, calls []*call) error {
	if len(calls) == 1 {
		for _, name := range s.lean(calls[0]) {
			if err := s.one(ctx, name, server, calls[0]); err != nil || calls[0].answer.verdict == done {
				return err
			}
		}
	}
	return s.many(ctx, server, calls)
}

// lean names the statements to try for c alone: for whom somebody waits, or waited lately,
// is told in the same one.
func (s *postgresSession) lean(c *call) []string {
	switch {
	case c.kind == acquire && c.placed:
		return []string{"acquire_placed"}
	case c.kind == release && s.crowds.has(c.name):
		return []string{"release_told"}
	case c.kind == release:
		return []string{"release_one", "release_told"}
	}
	return []string{string(c.kind) + "_one"}
}

// one sends c by itself.
func (s *postgresSession) one(ctx context.Context, name string, server incarnation, c *call) error {
	var args []any
	switch c.kind {
	case acquire:
		args = []any{c.name, c.attempt, c.holder, c.milliseconds(), server.identity, server.started}
	case renew:
		args = []any{c.name, int64(c.token), c.attempt, c.milliseconds()}
	case release:
		args = []any{c.name, int64(c.token), c.attempt}
	}
	return direct(ctx, s.conn, s.texts[name]+s.plan(1), args, func(row []sqldriver.Value) error {
		token, err := asInt(row[0])
		c.answer = answer{verdict: done, token: fence.Token(token)}
		switch name {
		case "acquire_placed":
			s.crowds.note(c.name, true) // who waited is seldom alone
		case "release_told":
			s.crowds.note(c.name, asText(row[1]) != "false")
		}
		return err
	})
}

// line sends calls about places in line, as one statement. Their order is that of all
// clients, so that no two of them wait for each other's rows.
func (s *postgresSession) line(ctx context.Context, calls []*call) error {
	if c := calls[0]; len(calls) == 1 && c.kind == wait && !c.placed {
		return s.joinLine(ctx, c)
	}
	slices.SortFunc(calls, func(a, b *call) int { return strings.Compare(a.meets(), b.meets()) })
	asks := make([]ask, len(calls))
	for i, c := range calls {
		asks[i] = ask{Nth: i, Name: c.name, Attempt: c.attempt, Holder: c.holder}
	}
	text, err := json.Marshal(asks)
	if err != nil {
		return err
	}
	args := []any{string(text)}
	if calls[0].kind == wait {
		args = append(args, calls[0].milliseconds(), int64(driver.MaxWaiters))
	}
	return direct(ctx, s.conn, s.texts[string(calls[0].kind)]+s.plan(len(calls)), args, func(row []sqldriver.Value) error {
		nth, err := asInt(row[0])
		if err == nil {
			calls[nth].answer, err = scanAnswer(row[1:])
		}
		return err
	})
}

// joinLine gets a place for one who has none.
func (s *postgresSession) joinLine(ctx context.Context, c *call) error {
	c.answer = answer{verdict: full}
	args := []any{c.name, c.attempt, c.holder, c.milliseconds(), int64(driver.MaxWaiters)}
	return direct(ctx, s.conn, s.texts["wait_one"]+s.plan(1), args, func(row []sqldriver.Value) error {
		ahead, err := asInt(row[0])
		waited, err2 := asInt(row[1])
		c.answer = answer{verdict: done, ahead: int(ahead), waited: lasting(waited)}
		return errors.Join(err, err2)
	})
}

// ask is one call as the statements for many take it.
type ask struct {
	Nth     int         `json:"nth"`
	Name    string      `json:"name"`
	Attempt string      `json:"attempt"`
	Holder  string      `json:"holder"`
	Token   json.Number `json:"token,omitempty"`
	TTL     int64       `json:"ttl,omitempty"`
}

// many sends the calls as one statement.
func (s *postgresSession) many(ctx context.Context, server incarnation, calls []*call) error {
	slices.SortFunc(calls, func(a, b *call) int { return strings.Compare(a.name, b.name) })
	asks := make([]ask, len(calls))
	for i, c := range calls {
		c.answer = answer{}
		asks[i] = ask{Name: c.name, Attempt: c.attempt, Holder: c.holder, TTL: c.milliseconds()}
		if c.kind != acquire {
			asks[i].Token = json.Number(c.token.String())
		}
	}
	text, err := json.Marshal(asks)
	if err != nil {
		return err
	}
	args := []any{string(text)}
	if calls[0].kind == acquire {
		args = append(args, server.identity, server.started)
	}
	statement := s.texts[string(calls[0].kind)] + s.plan(len(calls))
	err = direct(ctx, s.conn, statement, args, func(v []sqldriver.Value) error { return answered(v, calls) })
	if err != nil {
		return err
	}
	for _, c := range calls {
		if c.answer.verdict == "" {
			c.answer.verdict = strange // the store's record is gone
		}
	}
	return nil
}

// answered gives a row of an answer to the call of its name.
func answered(row []sqldriver.Value, calls []*call) error {
	name := asText(row[0])
	i := slices.IndexFunc(calls, func(c *call) bool { return c.name == name })
	if i < 0 {
		return fmt.Errorf("an answer for %s, which was not asked for", fence.Quote(name))
	}
	a, err := scanAnswer(row[1:])
	calls[i].settle(a)
	return err
}
