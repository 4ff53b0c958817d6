package s3guard

import (
	"context"
	"errors"
	"net"
	"net/http"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/ringfence-go/ringfence/guard"
)

// failure is what an error of S3 means for a write.
type failure struct {
	kind error // one of the sentinels of package guard
	err  error
	hint string
	// moved: the object is not the one that was read, or there is none.
	moved, missing bool
}

func (f failure) Error() string { return f.err.Error() }
func (f failure) Unwrap() error { return f.err }

const (
	again   = "send the same write again"
	foreign = "nothing but a guard may write to the object"
	rights  = "let the identity do s3:GetObject and s3:PutObject on the object and below its name, and s3:ListBucket on the bucket"
)

// judge rules on the error of a write. What it can't name is a doubt.
func judge(err error) failure {
	var f failure
	if errors.As(err, &f) {
		return f
	}
	var answer *smithyhttp.ResponseError
	var network *net.OpError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
	case errors.As(err, &answer) && answer.Response != nil && answer.Response.StatusCode >= 300:
		return judgeAnswer(err, answer.Response.StatusCode)
	case errors.As(err, &network) && network.Op == "dial":
		return failure{kind: guard.ErrUnavailable, err: err}
	}
	return failure{kind: guard.ErrUnknown, err: err, hint: again}
}

func judgeAnswer(err error, status int) failure {
	code := ""
	if api := smithy.APIError(nil); errors.As(err, &api) {
		code = api.ErrorCode()
	}
	f := failure{kind: guard.ErrUnavailable, err: err}
	switch {
	case code == "NoSuchBucket":
		f.kind, f.hint = guard.ErrUnfit, "make the bucket, or name another one"
	case code == "RequestTimeTooSkewed":
		f.hint = "set this machine's clock"
	case status == http.StatusConflict, status == http.StatusPreconditionFailed:
		f.kind, f.moved = guard.ErrRetry, true
	case status == http.StatusNotFound:
		f.kind, f.moved, f.missing = guard.ErrRetry, true, true
	case status == http.StatusForbidden, status == http.StatusUnauthorized:
		f.kind, f.hint = guard.ErrUnfit, rights
	case status == http.StatusNotImplemented, status < 400:
		f.kind, f.hint = guard.ErrUnfit, "use the endpoint of the bucket's region, and one with conditional writes"
	case status >= 500 && code != "SlowDown":
		f.kind, f.hint = guard.ErrUnknown, again
	}
	return f
}

// unsent is a failure where nothing that writes had been sent.
func unsent(err error) error {
	f := judge(err)
	if errors.Is(f.kind, guard.ErrUnknown) {
		return failure{kind: guard.ErrUnavailable, err: f.err, hint: "nothing is applied"}
	}
	return f
}
