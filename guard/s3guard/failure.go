package s3guard

import (
	"context"
	"errors"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/ringfence-go/ringfence/guard"
)

const (
	rights        = "let the identity do s3:GetObject and s3:PutObject on the object and below its name, and s3:ListBucket on the bucket"
	noCredentials = "give this process credentials for the bucket: by the environment, a profile, or a role of the machine"
)

// answer is what the endpoint said, where it has answered with a failure: nil if it
// hasn't, and the code of its error. A service that is asked for credentials first fails
// with the same type, but its answer is not the endpoint's.
func answer(err error) (r *smithyhttp.Response, code string) {
	var endpoint s3.ResponseError
	var failed *smithyhttp.ResponseError
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		!errors.As(err, &endpoint) || !errors.As(err, &failed) || failed.Response == nil || failed.Response.StatusCode < 300 {
		return nil, ""
	}
	if api := smithy.APIError(nil); errors.As(err, &api) {
		code = api.ErrorCode()
	}
	return failed.Response, code
}

// isUnsigned reports whether the endpoint was not asked, since no credentials could be
// had: the failed call has another one in it.
func isUnsigned(err error) bool {
	var call, within *smithy.OperationError
	return errors.As(err, &call) && errors.As(call.Err, &within)
}

// isMissing reports whether a read was answered with: there is no such object.
func isMissing(err error) (*smithyhttp.Response, bool) {
	r, code := answer(err)
	return r, r != nil && r.StatusCode == http.StatusNotFound && code != "NoSuchBucket"
}

// classify says what a failed answer means, in the words of casguard.Bucket. What is no
// answer stays as it is: a doubt, or a connection that was not made.
func classify(err error) error {
	if isUnsigned(err) {
		return &guard.Error{Kind: guard.ErrUnavailable, Err: err, Hint: noCredentials}
	}
	r, code := answer(err)
	if r == nil {
		return err
	}
	f := &guard.Error{Kind: guard.ErrUnavailable, Err: err}
	switch status := r.StatusCode; {
	case code == "NoSuchBucket":
		f.Kind, f.Hint = guard.ErrUnfit, "make the bucket, or name another one"
	case code == "RequestTimeTooSkewed":
		f.Hint = "set this machine's clock"
	case status == http.StatusConflict, status == http.StatusPreconditionFailed, status == http.StatusNotFound:
		f.Kind = guard.ErrRetry
	case status == http.StatusForbidden, status == http.StatusUnauthorized:
		f.Kind, f.Hint = guard.ErrUnfit, rights
	case status == http.StatusNotImplemented, status < 400:
		f.Kind, f.Hint = guard.ErrUnfit, "use the endpoint of the bucket's region, and one with conditional writes"
	case status >= 500 && code != "SlowDown":
		f.Kind = guard.ErrUnknown
	}
	return f
}
