package sqlstore

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"net"
	"strings"

	"github.com/ringfence-go/ringfence/driver"
)

// ruling is what an error of a database means for the call that met it.
type ruling struct {
	kind error // one of the sentinels of package driver
	err  error // what the driver said
	hint string
	// again: certainly not applied, and worth another try soon.
	again bool
}

func (r ruling) Error() string { return r.err.Error() }
func (r ruling) Unwrap() error { return r.err }

// fault is r as an error of the contract. what says what was being done, where
// package ringfence won't.
func (r ruling) fault(what string) error {
	return &driver.Fault{Kind: r.kind, Err: &redacted{what: what, err: r.err}, Hint: r.hint}
}

// unfit, unavailable and retry make the rulings that a dialect's table holds.
func unfit(hint string) ruling       { return ruling{kind: driver.ErrUnfit, hint: hint} }
func unavailable(hint string) ruling { return ruling{kind: driver.ErrUnavailable, hint: hint} }
func retry(hint string) ruling {
	return ruling{kind: driver.ErrUnavailable, hint: hint, again: true}
}

// because is r for the reason err.
func (r ruling) because(err error) ruling {
	r.err = err
	return r
}

// refuse makes an error that no driver gave.
func refuse(hint, reason string) error { return unfit(hint).because(errors.New(reason)) }

var doubt = ruling{kind: driver.ErrUnknown, hint: resolve}

const resolve = "ask again with the same attempt, or read the record, before anything else"

// judge rules on an error that came after a statement was sent. table knows the
// codes of a kind of database; an error that it can't name is a lost connection
// or a broken driver, and so a doubt.
func judge(err error, table func(error) (ruling, bool)) ruling {
	var r ruling
	if errors.As(err, &r) {
		return r
	}
	if r, ok := table(err); ok {
		return r.because(err)
	}
	switch {
	case strings.Contains(err.Error(), "sql: database is closed"): // database/sql exports no error for it
		return ruling{kind: driver.ErrClosed, hint: "close the store before its *sql.DB"}.because(err)
	case notSent(err):
		return retry("").because(err)
	}
	return doubt.because(err)
}

// before is r where nothing that changes a lease had been sent.
func before(r ruling) ruling {
	if r.kind == driver.ErrUnknown {
		r.kind, r.hint = driver.ErrUnavailable, strings.TrimSuffix(strings.TrimSuffix(r.hint, resolve), "; ")
	}
	return r
}

// notSent reports whether the driver vouches that the statement did not reach
// the server. pgx says so by a method; any driver by ErrBadConn.
func notSent(err error) bool {
	var safe interface{ SafeToRetry() bool }
	if errors.As(err, &safe) && safe.SafeToRetry() {
		return true
	}
	var op *net.OpError
	return errors.Is(err, sqldriver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) ||
		errors.As(err, &op) && op.Op == "dial"
}

// left is the ruling for a caller whose context has ended. last is what kept it
// waiting, where there was something.
func left(ctx context.Context, sent bool, last error) ruling {
	err := ctx.Err()
	if last != nil {
		err = errors.Join(err, last)
	}
	if sent {
		return ruling{kind: driver.ErrUnknown, err: err, hint: resolve}
	}
	return ruling{kind: driver.ErrUnavailable, err: err}
}
