package s3store

import (
	"context"
	"errors"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/casstore"
)

const (
	unfitEndpoint = "use an endpoint with conditional writes: Amazon S3, or one that docs/stores/s3.md names"
	rights        = "let the identity do s3:GetObject and s3:PutObject below the prefix, and s3:ListBucket on the bucket"
	noCredentials = "give this process credentials for the bucket: by the environment, a profile, or a role of the machine"
)

// refuse makes the error of an endpoint or a bucket that can't host leases as it is.
func refuse(err error, hint string) error {
	return &driver.Fault{Kind: driver.ErrUnfit, Err: err, Hint: hint}
}

// answer is what the endpoint said, where it has answered with a failure: its status
// and the code of its error, or 0. A service that is asked for credentials first fails
// with the same type, but its answer is not the endpoint's.
func answer(err error) (status int, code string) {
	var endpoint s3.ResponseError
	var r *smithyhttp.ResponseError
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		!errors.As(err, &endpoint) || !errors.As(err, &r) || r.Response == nil || r.Response.StatusCode < 300 {
		return 0, ""
	}
	if api := smithy.APIError(nil); errors.As(err, &api) {
		code = api.ErrorCode()
	}
	return r.Response.StatusCode, code
}

// isUnsigned reports whether the endpoint was not asked, since no credentials could be
// had: the failed call has another one in it.
func isUnsigned(err error) bool {
	var call, within *smithy.OperationError
	return errors.As(err, &call) && errors.As(call.Err, &within)
}

// isMissing reports whether a read was answered with: there is no such object.
func isMissing(err error) bool {
	status, code := answer(err)
	return status == http.StatusNotFound && code != "NoSuchBucket"
}

// classify says what a failed answer means, in the words of casstore.Bucket. What is no
// answer stays as it is: a doubt, or a connection that was not made.
func classify(err error) error {
	status, code := answer(err)
	f := &driver.Fault{Kind: driver.ErrUnfit, Err: err}
	switch {
	case isUnsigned(err), code == "ExpiredToken": // of credentials that are renewed by themselves, a moment too late
		f.Kind, f.Hint = driver.ErrUnavailable, noCredentials
	case code == "InvalidObjectState":
		f.Hint = "the object was archived: restore it, and keep lifecycle rules from what lies below the prefix"
	case code == "InvalidAccessKeyId", code == "SignatureDoesNotMatch", code == "InvalidToken":
		f.Hint = noCredentials
	case status == 0:
		return err
	case code == "NoSuchBucket":
		f.Hint = "make the bucket, or name another one"
	case code == "RequestTimeTooSkewed":
		f.Kind, f.Hint = driver.ErrUnavailable, "set this machine's clock"
	case code == "SlowDown", status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, code == "RequestTimeout":
		f.Kind = driver.ErrUnavailable
	case status == http.StatusConflict:
		f.Kind = casstore.ErrBusy
	case status == http.StatusPreconditionFailed, status == http.StatusNotFound: // of If-Match without an object
		f.Kind = casstore.ErrMoved
	case status == http.StatusForbidden, status == http.StatusUnauthorized:
		f.Hint = rights
	case status == http.StatusNotImplemented:
		f.Hint = unfitEndpoint
	case status >= 500:
		f.Kind = driver.ErrUnknown
	case status < 400:
		f.Hint = "use the endpoint of the bucket's region"
	}
	return f
}
