package sqlguard

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// subject is what a statement was about, for the text of an error.
type subject struct {
	resource string
	fence    fence.Fence
}

func (s subject) fail(kind, err error, hint string) error {
	return &guard.Error{Kind: kind, Resource: s.resource, Fence: s.fence, Err: err, Hint: hint}
}

// inside is the failure of a statement in an open transaction. Whatever
// happened, nothing is applied: the commit was not sent.
func (s subject) inside(err error) error {
	switch c := classify(err); {
	case c == transient:
		return s.fail(guard.ErrRetry, err, "")
	case c == missing:
		return s.fail(guard.ErrUnfit, err, "have sqlguard.Setup create the tables, or give the role its rights to them")
	}
	return s.fail(guard.ErrUnavailable, err, "nothing is applied")
}

// alone is the failure of a statement that is a transaction of its own, or of a
// commit: without the database's own word, it may have been applied.
func (s subject) alone(err error) error {
	if classify(err) == unsure {
		return s.fail(guard.ErrUnknown, err, "")
	}
	return s.inside(err)
}

// class is what a driver's error says about the statement that failed.
type class uint8

const (
	unsure    class = iota // it may have taken effect
	failed                 // it took no effect
	transient              // it took no effect, and the same transaction may well succeed
	missing                // it took no effect: a table or a right to it is missing
)

// classify reads an error of any driver by what the common ones share: the
// five characters that PostgreSQL gives, SQLite's number, or its words.
func classify(err error) class {
	var state interface{ SQLState() string }
	var code interface{ Code() int }
	var safe interface{ SafeToRetry() bool }
	switch {
	case errors.As(err, &state):
		return ofState(state.SQLState())
	case errors.As(err, &safe) && safe.SafeToRetry(): // pgx: nothing was sent
		return failed
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return unsure
	case errors.As(err, &code) && ofText(err.Error()) == unsure:
		return ofCode(code.Code())
	case strings.Contains(err.Error(), "unexpectedly resulted in rollback"): // pgx and lib/pq, of a commit
		return failed
	}
	return ofText(err.Error())
}

func ofState(state string) class {
	switch {
	case state == "40003": // statement_completion_unknown
		return unsure
	case strings.HasPrefix(state, "40"), state == "55P03": // serialization, deadlock; lock_not_available
		return transient
	case state == "42P01", state == "3F000", state == "42501": // no table, no schema, no right
		return missing
	case strings.HasPrefix(state, "08"), strings.HasPrefix(state, "57"), // connection, shutdown
		strings.HasPrefix(state, "58"), strings.HasPrefix(state, "XX"), state == "": // system, internal
		return unsure
	}
	return failed
}

// ofCode reads SQLite's result code; the low byte is the kind, so that
// SQLITE_BUSY_SNAPSHOT counts as busy.
func ofCode(code int) class {
	switch code & 0xff {
	case 5, 6: // SQLITE_BUSY, SQLITE_LOCKED
		return transient
	case 9, 10: // SQLITE_INTERRUPT, SQLITE_IOERR
		return unsure
	}
	return failed
}

// ofText knows the drivers whose errors have no method for the code: MySQL's, and
// some of SQLite's.
func ofText(text string) class {
	if c := ofNumber(numberIn(text)); c != unsure {
		return c
	}
	switch {
	case strings.Contains(text, "database is locked"), strings.Contains(text, "table is locked"):
		return transient
	case strings.Contains(text, "no such table: ringfence_"):
		return missing
	}
	return unsure
}

// commit says what became of a transaction whose Commit returned err.
func (s subject) commit(ctx context.Context, err error) error {
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil { // database/sql rolled it back
		return s.fail(guard.ErrUnavailable, context.Cause(ctx), "nothing is applied")
	}
	if errors.Is(err, sql.ErrTxDone) || strings.Contains(err.Error(), "no transaction is active") || mysqlNumber(err) == noSavepoint { // by Commit, or by a statement
		return s.fail(guard.ErrUnknown, err, "the function ended the transaction itself; leave commit and rollback to sqlguard")
	}
	return s.alone(err)
}

// effect is the failure of the caller's own statements. It keeps the caller's
// error, and says where the transaction deserves another try.
func (s subject) effect(err error) error {
	if err != nil && classify(err) == transient && !errors.Is(err, guard.ErrRetry) {
		return s.fail(guard.ErrRetry, err, "")
	}
	return err
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w "+format, append([]any{fence.ErrInvalid}, args...)...)
}
