package etcdguard

import (
	"context"
	"errors"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ringfence-go/ringfence/guard"
)

// failure is what an error of etcd means for a write.
type failure struct {
	kind error // one of the sentinels of package guard
	err  error
	hint string
}

func (f failure) Error() string { return f.err.Error() }
func (f failure) Unwrap() error { return f.err }

// send sends one transaction. Its error is a failure.
func (g *Guard) send(ctx context.Context, when []clientv3.Cmp, then, otherwise []clientv3.Op) (*clientv3.TxnResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, failure{guard.ErrUnavailable, err, "nothing is applied"}
	}
	ctx, cancel := context.WithTimeout(ctx, g.o.Try)
	defer cancel()
	resp, err := g.client.Txn(ctx).If(when...).Then(then...).Else(otherwise...).Commit()
	if err != nil {
		return nil, judge(err)
	}
	return resp, nil
}

// judge rules on an error of a transaction. One that it can't name is a doubt.
func judge(err error) error {
	var known rpctypes.EtcdError
	code := status.Code(err)
	if errors.As(err, &known) {
		code = known.Code()
	}
	text := err.Error()
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return failure{guard.ErrUnknown, err, "send the same write again"}
	case code == codes.PermissionDenied, code == codes.Unauthenticated, errors.Is(err, rpctypes.ErrUserEmpty), errors.Is(err, rpctypes.ErrAuthFailed):
		return failure{guard.ErrUnfit, err, "give the client's user a role that may read and write the guard's prefix and the data"}
	case errors.Is(err, rpctypes.ErrAuthOldRevision), errors.Is(err, rpctypes.ErrTooManyRequests):
		return failure{guard.ErrRetry, err, ""}
	case code == codes.InvalidArgument, code == codes.NotFound, code == codes.FailedPrecondition,
		code == codes.ResourceExhausted, code == codes.OutOfRange, code == codes.Unimplemented,
		strings.Contains(text, "Error while dialing"), strings.Contains(text, "there is no connection available"),
		strings.Contains(text, "there is no address available"), strings.Contains(text, "client connection is closing"):
		return failure{guard.ErrUnavailable, err, "nothing is applied"}
	}
	return failure{guard.ErrUnknown, err, "send the same write again"}
}

// unsent is a failure where nothing that writes had been sent.
func unsent(err error) error {
	var f failure
	if errors.As(err, &f) && errors.Is(f.kind, guard.ErrUnknown) {
		return failure{guard.ErrUnavailable, f.err, "nothing is applied"}
	}
	return err
}
