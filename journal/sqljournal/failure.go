package sqljournal

import (
	"errors"
	"regexp"
	"slices"
	"strings"
)

// state is the five characters that PostgreSQL gives an error, empty elsewhere.
func state(err error) string {
	if e, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err); ok {
		return e.SQLState()
	}
	return ""
}

// mysqlError is how go-sql-driver writes an error of the server's.
var mysqlError = regexp.MustCompile(`\bError (\d{4,5})(?: \(\w{5}\))?: `)

// number is that of an error of MySQL's, empty elsewhere.
func number(err error) string {
	if found := mysqlError.FindStringSubmatch(err.Error()); found != nil {
		return found[1]
	}
	return ""
}

// missing reports whether the table isn't there.
func missing(err error) bool {
	return err != nil && (slices.Contains([]string{"42P01", "3F000"}, state(err)) || number(err) == "1146" ||
		strings.Contains(err.Error(), "no such table: ringfence_journal"))
}

// collided reports whether somebody else was making the same things, which IF NOT
// EXISTS does not keep PostgreSQL from failing at.
func collided(err error) bool {
	return err != nil && slices.Contains([]string{"23505", "42P06", "42P07", "42710", "XX000"}, state(err))
}

// forbidden reports whether the role may not write here, or nobody may.
func forbidden(err error) bool {
	return slices.Contains([]string{"42501", "25006"}, state(err)) ||
		slices.Contains([]string{"1044", "1142", "1143", "1227", "1290", "1792", "1836"}, number(err)) ||
		strings.Contains(err.Error(), "readonly database")
}

// answered reports whether the database itself refused the statement.
func answered(err error) bool {
	s := state(err)
	return s != "" && !strings.HasPrefix(s, "08") && !strings.HasPrefix(s, "57") || number(err) != "" ||
		strings.Contains(err.Error(), "database is locked") || strings.Contains(err.Error(), "database or disk is full")
}
