package etcdstore

import (
	"context"
	"errors"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ringfence-go/ringfence/driver"
)

// ruling is what an error of etcd means for the call that met it.
type ruling struct {
	kind error // one of the sentinels of package driver
	err  error // what the client said
	hint string
	// again: worth another try soon, at another member.
	again bool
}

func (r ruling) Error() string { return r.err.Error() }
func (r ruling) Unwrap() error { return r.err }

func (r ruling) fault() error { return &driver.Fault{Kind: r.kind, Err: r.err, Hint: r.hint} }

// because is r for the reason err.
func (r ruling) because(err error) ruling {
	r.err = err
	return r
}

const resolve = "ask again with the same attempt, or read the record, before anything else"

var (
	// doubt: sent, not answered.
	doubt = ruling{kind: driver.ErrUnknown, hint: resolve, again: true}
	// refused: answered, and nothing was changed.
	passing = ruling{kind: driver.ErrUnavailable, again: true}
	closing = ruling{kind: driver.ErrClosed, hint: "close the store before its client"}
)

func unfit(hint string) ruling { return ruling{kind: driver.ErrUnfit, hint: hint} }

// errChanged: the step found the store in another state than it had compared
// with, and did nothing.
var errChanged = passing.because(errors.New("the record is being changed by others"))

const (
	noRights = "name a user in the address or the client's settings, and give it a role that may read and write below the store's prefix (etcdctl role grant-permission --prefix)"
	noSpace  = "etcd has reached its quota: compact and defragment it, then disarm the alarm (etcdctl alarm disarm)"
)

// judge rules on an error that came after a request was handed to the client.
// One that it can't name is a doubt.
func judge(err error) ruling {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return doubt.because(err)
	case errors.Is(err, rpctypes.ErrLeaseNotFound), errors.Is(err, rpctypes.ErrTooManyRequests), errors.Is(err, rpctypes.ErrAuthOldRevision),
		errors.Is(err, rpctypes.ErrNotCapable), strings.Contains(err.Error(), "not supported for learner"):
		return passing.because(err)
	case errors.Is(err, rpctypes.ErrNoSpace):
		return ruling{kind: driver.ErrUnavailable, hint: noSpace}.because(err)
	case errors.Is(err, rpctypes.ErrAuthFailed), errors.Is(err, rpctypes.ErrUserEmpty):
		return unfit(noRights).because(err)
	case notSent(err):
		return passing.because(err)
	}
	switch code(err) {
	case codes.PermissionDenied, codes.Unauthenticated:
		return unfit(noRights).because(err)
	case codes.InvalidArgument, codes.FailedPrecondition, codes.OutOfRange, codes.Unimplemented:
		return unfit("the server refuses what this store asks for: it needs etcd 3.4 or later, with its default limits").because(err)
	case codes.DataLoss:
		return unfit("the cluster reports that its members differ: repair it first").because(err)
	case codes.Canceled:
		if strings.Contains(err.Error(), "client connection is closing") {
			return closing.because(err)
		}
	}
	return doubt.because(err)
}

func code(err error) codes.Code {
	var known rpctypes.EtcdError
	if errors.As(err, &known) {
		return known.Code()
	}
	return status.Code(err)
}

// notSent reports whether the client vouches that no member got the request:
// it found no connection to send it on.
func notSent(err error) bool {
	if code(err) != codes.Unavailable {
		return false
	}
	text := err.Error()
	for _, words := range []string{"there is no address available", "there is no connection available", "Error while dialing"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// before is r where nothing that changes a lease had been sent.
func before(r ruling) ruling {
	if r.kind == driver.ErrUnknown {
		r.kind, r.hint = driver.ErrUnavailable, ""
	}
	return r
}
