package etcdstore

import (
	"context"
	"errors"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
)

// mostTries bounds the tries of one call whose context lasts longer.
const mostTries = 6

// tries takes a step again while its error says that this may help. step is
// told whether an earlier try of it may have taken effect. An error that isn't a
// ruling is an answer, and is returned as it is.
func tries[R any](ctx context.Context, s *Store, step func(doubt bool) (R, error)) (R, error) {
	var none R
	inDoubt := false
	for n := 1; ; n++ {
		r, last := s.left(ctx), true
		if r.kind == nil {
			answer, err := step(inDoubt)
			if err == nil || !errors.As(err, &r) {
				return answer, err
			}
			inDoubt = inDoubt || r.kind == driver.ErrUnknown
			last = !r.again || n == mostTries || !s.wait(ctx, n)
		}
		if !last {
			continue
		}
		if over := s.left(ctx); over.kind != nil {
			r.kind, r.hint = over.kind, over.hint
		}
		if inDoubt {
			r.kind, r.hint = driver.ErrUnknown, resolve
		}
		return none, r.fault()
	}
}

// left is the ruling for a call that must not go on, or an empty one.
func (s *Store) left(ctx context.Context) ruling {
	switch {
	case s.closed.Load():
		return ruling{kind: driver.ErrClosed, err: errors.New("the etcd store was closed"), hint: "open another store"}
	case s.client.Ctx().Err() != nil:
		return closing.because(errors.New("the client of the etcd store was closed"))
	case ctx.Err() != nil:
		return ruling{kind: driver.ErrUnavailable, err: ctx.Err()}
	}
	return ruling{}
}

// wait lets others go first before the next try. It is cut short by the end of ctx.
func (s *Store) wait(ctx context.Context, n int) bool {
	timer := time.NewTimer(10 * time.Millisecond << n)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-s.ctx.Done():
	}
	return false
}

// once gives one request its own short deadline, and ends it with the store.
func (s *Store) once(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, s.try)
	stop := context.AfterFunc(s.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// txn sends one transaction. Its error is a ruling.
func (s *Store) txn(ctx context.Context, when []clientv3.Cmp, then, otherwise []clientv3.Op) (*clientv3.TxnResponse, error) {
	if r := s.left(ctx); r.kind != nil {
		return nil, r
	}
	ctx, cancel := s.once(ctx)
	defer cancel()
	resp, err := s.client.Txn(ctx).If(when...).Then(then...).Else(otherwise...).Commit()
	if err != nil {
		return nil, judge(err)
	}
	return resp, nil
}

// read sends a transaction that only reads, which all members answer from the
// latest state and none writes down.
func (s *Store) read(ctx context.Context, ops ...clientv3.Op) (*clientv3.TxnResponse, error) {
	resp, err := s.txn(ctx, nil, ops, nil)
	return resp, unsent(err)
}

// look reads a name, and more beside it.
func (s *Store) look(ctx context.Context, name string, more ...clientv3.Op) (view, *clientv3.TxnResponse, error) {
	resp, err := s.read(ctx, append(s.keys.look(name), more...)...)
	if err != nil {
		return view{}, nil, err
	}
	v, err := seen(name, resp.Responses)
	return v, resp, err
}

// unsent rules on the error of a request that changes no term.
func unsent(err error) error {
	var r ruling
	if errors.As(err, &r) {
		return before(r)
	}
	return err
}

// remaining asks for the time that is left of an etcd lease, in whole seconds,
// and reports whether it is still there.
func (s *Store) remaining(ctx context.Context, id clientv3.LeaseID) (time.Duration, bool, error) {
	ctx, cancel := s.once(ctx)
	defer cancel()
	resp, err := s.client.TimeToLive(ctx, id)
	if err != nil {
		return 0, false, before(judge(err))
	}
	return time.Duration(max(0, resp.TTL)) * time.Second, resp.TTL >= 0, nil
}
