package s3store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// ruling is what an error means for the call that met it.
type ruling struct {
	kind error // one of the sentinels of package driver
	err  error
	hint string
	// again: certainly not applied, and worth another try.
	again bool
	// moved: the object is not the one that was read.
	moved bool
	// missing: there is no such object.
	missing bool
}

func (r ruling) Error() string { return r.err.Error() }
func (r ruling) Unwrap() error { return r.err }

const (
	resolveHint   = "ask again with the same attempt, or read the record, before anything else"
	foreign       = "use a prefix of Ringfence's own"
	unfitEndpoint = "use an endpoint with conditional writes: Amazon S3, or one that docs/stores/s3.md names"
	rights        = "let the identity do s3:GetObject and s3:PutObject below the prefix, and s3:ListBucket on the bucket"
)

var (
	errClosed    = ruling{kind: driver.ErrClosed, err: context.Canceled, hint: "open another one"}
	errBusy      = ruling{kind: driver.ErrUnavailable, err: errors.New("its record changes all the time")}
	errExhausted = refuse(fmt.Errorf("no token is left: %d is the highest", fence.MaxToken),
		"the floor or the endpoint's clock is wrong: use another prefix")
)

// refuse makes the error of a store that can't host leases as it is.
func refuse(err error, hint string) error {
	return ruling{kind: driver.ErrUnfit, err: err, hint: hint}
}

// judge rules on the error of a write. What it can't name is a lost connection or
// an answer that didn't come, and so a doubt.
func judge(err error) ruling {
	var r ruling
	if errors.As(err, &r) {
		return r
	}
	var answer *smithyhttp.ResponseError
	var network *net.OpError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
	case errors.As(err, &answer) && answer.Response != nil && answer.Response.StatusCode >= 300:
		return judgeAnswer(err, answer.Response.StatusCode)
	case errors.As(err, &network) && network.Op == "dial":
		return ruling{kind: driver.ErrUnavailable, err: err, again: true}
	}
	return ruling{kind: driver.ErrUnknown, err: err, hint: resolveHint}
}

// judgeAnswer rules on an answer of the endpoint that is no success.
func judgeAnswer(err error, status int) ruling {
	code := ""
	if api := smithy.APIError(nil); errors.As(err, &api) {
		code = api.ErrorCode()
	}
	r := ruling{kind: driver.ErrUnfit, err: err}
	switch {
	case code == "NoSuchBucket":
		r.hint = "make the bucket, or name another one"
	case code == "RequestTimeTooSkewed":
		r = ruling{kind: driver.ErrUnavailable, err: err, again: true, hint: "set this machine's clock"}
	case code == "SlowDown", status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, code == "RequestTimeout":
		r = ruling{kind: driver.ErrUnavailable, err: err, again: true}
	case status == http.StatusConflict, status == http.StatusPreconditionFailed:
		r = ruling{kind: driver.ErrUnavailable, err: err, again: true, moved: true}
	case status == http.StatusNotFound:
		r = ruling{kind: driver.ErrUnavailable, err: err, again: true, moved: true, missing: true}
	case status == http.StatusForbidden, status == http.StatusUnauthorized:
		r.hint = rights
	case status == http.StatusNotImplemented:
		r.hint = unfitEndpoint
	case status >= 500:
		r = ruling{kind: driver.ErrUnknown, err: err, hint: resolveHint}
	case status < 400:
		r.hint = "use the endpoint of the bucket's region"
	}
	return r
}

// refusedWrite reports whether the endpoint refused a write for its precondition.
func refusedWrite(err error) bool {
	var answer *smithyhttp.ResponseError
	return errors.As(err, &answer) && answer.Response != nil && answer.Response.StatusCode == http.StatusPreconditionFailed
}

// before is err for a call of which nothing was sent that changes anything.
func before(err error) error {
	if err == nil {
		return nil
	}
	r := judge(err)
	if r.kind == driver.ErrUnknown {
		r = ruling{kind: driver.ErrUnavailable, err: r.err, again: true}
	}
	return r
}

// inDoubt is err for a call that may have been applied by an earlier try.
func inDoubt(doubt bool, err error) error {
	r := judge(err)
	if doubt && r.kind != driver.ErrUnknown {
		r.kind, r.hint = driver.ErrUnknown, resolveHint
	}
	return r
}

// explain turns an error into one of the contract, and names the store in it.
func (s *Store) explain(what string, err error) error {
	if err == nil || errors.Is(err, driver.ErrHeld) || errors.Is(err, driver.ErrEnded) {
		return err
	}
	r := judge(err)
	return &driver.Fault{Kind: r.kind, Err: fmt.Errorf("%s: %s: %w", s.props.Store, what, r.err), Hint: r.hint}
}
