package open

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// connector makes connections whose failures fit into a line. pgx tells every
// try, each on a line of its own.
type connector struct{ sqldriver.Connector }

// Connect implements database/sql/driver.Connector.
func (c connector) Connect(ctx context.Context) (sqldriver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, &connectError{err}
	}
	return conn, nil
}

// connectError is a failed connection in few words. It unwraps to pgx's error.
type connectError struct{ err error }

func (e *connectError) Unwrap() error { return e.err }

func (e *connectError) Error() string {
	said := reasons(e.err)
	if len(said) > 1 { // a try without TLS followed, and failed for its own reason
		said = slices.DeleteFunc(said, func(s string) bool { return s == noTLS })
	}
	return "can't connect: " + strings.Join(said, "; ")
}

const noTLS = "the server offers no TLS, which sslmode in the URL asks for"

// reasons are the ends of all chains of err, each once.
func reasons(err error) (all []string) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			for _, r := range reasons(e) {
				if !slices.Contains(all, r) {
					all = append(all, r)
				}
			}
		}
		return all
	}
	if reason := reason(err); reason != "" {
		return []string{reason}
	}
	if next := errors.Unwrap(err); next != nil {
		return reasons(next)
	}
	return []string{err.Error()}
}

// reason is one error in plain words, or nothing when what it wraps says more.
func reason(err error) string {
	switch e := err.(type) {
	case *pgconn.PgError:
		return e.Message + " (SQLSTATE " + e.Code + ")"
	case *net.DNSError:
		return e.Name + ": " + e.Err
	case *net.OpError:
		if sys, ok := errors.AsType[*os.SyscallError](e); ok && e.Addr != nil {
			return e.Addr.String() + ": " + sys.Err.Error()
		}
	}
	switch {
	case err == context.DeadlineExceeded, err == os.ErrDeadlineExceeded:
		return "no answer in time"
	case err.Error() == "server refused TLS connection":
		return noTLS
	}
	return ""
}

// aside waits for connect, or for the end of ctx where that comes first: then what
// comes of it is given to drop.
func aside[C any](ctx context.Context, connect func() (C, error), drop func(C)) (C, error) {
	type outcome struct {
		conn C
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		conn, err := connect()
		done <- outcome{conn, err}
	}()
	select {
	case o := <-done:
		return o.conn, o.err
	case <-ctx.Done():
		go func() {
			if o := <-done; o.err == nil {
				drop(o.conn)
			}
		}()
		var none C
		return none, ctx.Err()
	}
}
