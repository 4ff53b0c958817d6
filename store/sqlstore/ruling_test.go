package sqlstore

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/driver"
)

type stateError string

func (e stateError) Error() string    { return "ERROR: something (SQLSTATE " + string(e) + ")" }
func (e stateError) SQLState() string { return string(e) }

type codeError int

func (e codeError) Error() string { return fmt.Sprint("code ", int(e)) }
func (e codeError) Code() int     { return int(e) }

type safeError struct{ error }

func (safeError) SafeToRetry() bool { return true }

func TestRulings(t *testing.T) {
	dial := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	for _, c := range []struct {
		dialect Dialect
		err     error
		kind    error
		again   bool
	}{
		{MySQL, errors.New("Error 1213 (40001): Deadlock found"), driver.ErrUnavailable, true},
		{MySQL, errors.New("Error 1205 (HY000): Lock wait timeout exceeded"), driver.ErrUnavailable, true},
		{MySQL, errors.New("Error 1020: Record has changed since last read"), driver.ErrUnavailable, true},
		{MySQL, errors.New("Error 1290 (HY000): running with the --read-only option"), driver.ErrUnavailable, false},
		{MySQL, errors.New("Error 1040 (08004): Too many connections"), driver.ErrUnavailable, false},
		{MySQL, errors.New("Error 9999 (HY000): whatever"), driver.ErrUnavailable, false},
		{MySQL, errors.New("Error 1053 (08S01): Server shutdown in progress"), driver.ErrUnknown, false},
		{MySQL, errors.New("Error 1180 (HY000): Got error during COMMIT"), driver.ErrUnknown, false},
		{MySQL, errors.New("invalid connection"), driver.ErrUnknown, false},
		{MySQL, errors.New("Error 1062 (23000): Duplicate entry 'Error 1213 (40001): x' for key"), driver.ErrUnfit, false},
		{MySQL, errors.New("Error 1045 (28000): Access denied"), driver.ErrUnfit, false},
		{MySQL, errors.New("Error 1146 (42S02): Table doesn't exist"), driver.ErrUnfit, false},
		{MySQL, sqldriver.ErrBadConn, driver.ErrUnavailable, true},
		{Postgres, stateError("40001"), driver.ErrUnavailable, true},
		{Postgres, stateError("40P01"), driver.ErrUnavailable, true},
		{Postgres, stateError("55P03"), driver.ErrUnavailable, true},
		{Postgres, stateError("55000"), driver.ErrUnavailable, false},
		{Postgres, stateError("25006"), driver.ErrUnavailable, false},
		{Postgres, stateError("53100"), driver.ErrUnavailable, false},
		{Postgres, stateError("57014"), driver.ErrUnavailable, false},
		{Postgres, stateError("57P03"), driver.ErrUnavailable, false},
		{Postgres, stateError("57P01"), driver.ErrUnknown, false},
		{Postgres, stateError("40003"), driver.ErrUnknown, false},
		{Postgres, stateError("08006"), driver.ErrUnknown, false},
		{Postgres, stateError("42501"), driver.ErrUnfit, false},
		{Postgres, stateError("42P01"), driver.ErrUnfit, false},
		{Postgres, stateError("3F000"), driver.ErrUnfit, false},
		{Postgres, stateError("28P01"), driver.ErrUnfit, false},
		{Postgres, stateError("XX001"), driver.ErrUnfit, false},
		{Postgres, stateError("XX000"), driver.ErrUnavailable, false},
		{Postgres, dial, driver.ErrUnavailable, true},
		{Postgres, sqldriver.ErrBadConn, driver.ErrUnavailable, true},
		{Postgres, safeError{io.EOF}, driver.ErrUnavailable, true},
		{Postgres, io.ErrUnexpectedEOF, driver.ErrUnknown, false},
		{Postgres, context.DeadlineExceeded, driver.ErrUnknown, false},
		{Postgres, errors.New("sql: database is closed"), driver.ErrClosed, false},
		{SQLite, codeError(5), driver.ErrUnavailable, true},
		{SQLite, codeError(5 | 2<<8), driver.ErrUnavailable, true}, // an extended code
		{SQLite, codeError(13), driver.ErrUnavailable, false},
		{SQLite, codeError(10 | 4<<8), driver.ErrUnknown, false},
		{SQLite, codeError(11), driver.ErrUnfit, false},
		{SQLite, codeError(26), driver.ErrUnfit, false},
		{SQLite, errors.New("database is locked"), driver.ErrUnavailable, true},
		{SQLite, errors.New("sqlite3: attempt to write a readonly database"), driver.ErrUnfit, false},
		{SQLite, errors.New("something new"), driver.ErrUnknown, false},
	} {
		r := c.dialect.judge(fmt.Errorf("wrapped: %w", c.err))
		if r.kind != c.kind || r.again != c.again || !errors.Is(r.fault(""), c.err) {
			t.Errorf("%s: %v: %v, again %t; want %v, again %t", c.dialect, c.err, r.kind, r.again, c.kind, c.again)
		}
	}
}

func TestRedact(t *testing.T) {
	for _, text := range []string{
		"postgres://me:c4n@ry:s@host/db", "cannot parse `postgres://me:c4nary@h:5432/db?password=c4nary`",
		"host=h password=c4nary user=me", "password='c4nary \\' c4nary'", `PASSWORD = "c4nary"`, "x?sslpassword=c4nary&y=1",
	} {
		if got := redact(text); strings.Contains(got, "c4n") || !strings.Contains(got, "***") {
			t.Errorf("redact(%q) = %q", text, got)
		}
	}
	if got := redact("dial tcp 127.0.0.1:5432: connection refused"); got != "dial tcp 127.0.0.1:5432: connection refused" {
		t.Errorf("a harmless text became %q", got)
	}
}

func TestEveryStatementTellsItsPurpose(t *testing.T) {
	for _, texts := range []map[string]string{Postgres.(*postgresDialect).texts, SQLite.(*sqliteDialect).texts} {
		if len(texts) < 15 {
			t.Fatalf("%d statements", len(texts))
		}
		for name, text := range texts {
			if !strings.HasPrefix(text, "-- ") || strings.Contains(text, "/*identity*/") {
				t.Errorf("%s: it must begin with its purpose, and know the identity:\n%s", name, text)
			}
			// These stand still while a transaction waits.
			for _, frozen := range []string{"now()", "current_timestamp", "transaction_timestamp", "statement_timestamp"} {
				if strings.Contains(strings.ToLower(text), frozen) {
					t.Errorf("%s: it reads %s for clock_timestamp", name, frozen)
				}
			}
		}
	}
}
