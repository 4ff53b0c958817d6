// Package sqlfault reads the errors of database/sql drivers, of which it imports none:
// what one says about the statement that failed.
package sqlfault

import (
	"context"
	"errors"
	"strings"
)

// Class is what a driver's error says about the statement that failed.
type Class uint8

const (
	Unsure    Class = iota // it may have taken effect
	Failed                 // it took no effect
	Transient              // it took no effect, and the same transaction may well succeed
	Missing                // it took no effect: a table or a right to it is missing
)

// Classify reads an error of any driver by what the common ones share: the
// five characters that PostgreSQL gives, SQLite's number, or its words.
func Classify(err error) Class {
	var state interface{ SQLState() string }
	var code interface{ Code() int }
	var safe interface{ SafeToRetry() bool }
	switch {
	case errors.As(err, &state):
		return ofState(state.SQLState())
	case errors.As(err, &safe) && safe.SafeToRetry(): // pgx: nothing was sent
		return Failed
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Unsure
	case errors.As(err, &code) && ofText(err.Error()) == Unsure:
		return ofCode(code.Code())
	case strings.Contains(err.Error(), "unexpectedly resulted in rollback"): // pgx and lib/pq, of a commit
		return Failed
	}
	return ofText(err.Error())
}

func ofState(state string) Class {
	switch {
	case state == "40003": // statement_completion_unknown
		return Unsure
	case strings.HasPrefix(state, "40"), state == "55P03": // serialization, deadlock; lock_not_available
		return Transient
	case state == "42P01", state == "3F000", state == "42501": // no table, no schema, no right
		return Missing
	case strings.HasPrefix(state, "08"), strings.HasPrefix(state, "57"), // connection, shutdown
		strings.HasPrefix(state, "58"), strings.HasPrefix(state, "XX"), state == "": // system, internal
		return Unsure
	}
	return Failed
}

// ofCode reads SQLite's result code; the low byte is the kind, so that
// SQLITE_BUSY_SNAPSHOT counts as busy.
func ofCode(code int) Class {
	switch code & 0xff {
	case 5, 6: // SQLITE_BUSY, SQLITE_LOCKED
		return Transient
	case 9, 10: // SQLITE_INTERRUPT, SQLITE_IOERR
		return Unsure
	}
	return Failed
}

// ofText knows the drivers whose errors have no method for the code: MySQL's, and
// some of SQLite's.
func ofText(text string) Class {
	if c := ofNumber(numberIn(text)); c != Unsure {
		return c
	}
	switch {
	case strings.Contains(text, "database is locked"), strings.Contains(text, "table is locked"):
		return Transient
	case strings.Contains(text, "no such table: ringfence_"):
		return Missing
	}
	return Unsure
}
