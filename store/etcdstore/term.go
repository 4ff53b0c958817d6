package etcdstore

import (
	"context"
	"errors"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Renew implements driver.Store: it moves the live key to a newer etcd lease.
func (s *Store) Renew(ctx context.Context, t driver.Term, ttl time.Duration) (driver.Term, error) {
	if err := t.Check(); err != nil {
		return driver.Term{}, err
	}
	if err := s.props.CheckTTL(ttl); err != nil {
		return driver.Term{}, err
	}
	return tries(ctx, s, func(bool) (driver.Term, error) { return s.renew(ctx, t, s.props.RoundTTL(ttl)) })
}

func (s *Store) renew(ctx context.Context, t driver.Term, ttl time.Duration) (driver.Term, error) {
	l, err := s.pool.take(ctx, ttl)
	if err != nil {
		return driver.Term{}, err
	}
	v, done, err := s.exactly(ctx, t, func(base, live int64) *step { return s.renewal(t, ttl, l, base, live) })
	switch {
	case err != nil:
		s.pool.unused(l, err)
		return driver.Term{}, err
	case !done.held:
		s.pool.back(l)
		return driver.Term{}, v.over(t)
	}
	s.renewals.note(t.Attempt, done.header.Revision)
	s.pool.off(done.responses[0].GetResponsePut().PrevKv.Lease)
	t.Remaining = l.remaining()
	return t, nil
}

// renewal moves the live key of t to l, if it is as the revision live made it or an
// earlier one. So a renewal that a member sat on, and whose etcd lease has grown old, does
// not undo a later one.
func (s *Store) renewal(t driver.Term, ttl time.Duration, l *lent, base, live int64) *step {
	n := note{State: renewed, TTL: ttl.Milliseconds()}
	return &step{
		name: t.Name,
		when: append(s.keys.exact(t, base), clientv3.Compare(clientv3.ModRevision(s.keys.live(t.Name)), "<", live+1)),
		then: []clientv3.Op{
			clientv3.OpPut(s.keys.live(t.Name), renewed, clientv3.WithLease(l.id), clientv3.WithPrevKV()),
			clientv3.OpPut(s.keys.note(t.Name), s.noted(t, n)),
		},
	}
}

// Release implements driver.Store.
func (s *Store) Release(ctx context.Context, t driver.Term) error {
	if err := t.Check(); err != nil {
		return err
	}
	_, err := tries(ctx, s, func(inDoubt bool) (struct{}, error) {
		v, done, err := s.end(ctx, t, note{State: string(driver.EndReleased)})
		ours := inDoubt && v.is(t) && !v.held() && v.cause() == driver.EndReleased // by a try whose answer was lost
		switch {
		case err != nil || done || ours:
			return struct{}{}, err
		case inDoubt && !v.is(t): // nothing tells whether it came in time
			return struct{}{}, ruling{kind: driver.ErrUnknown, hint: resolve, err: errors.New("the name was granted again before the answer came")}
		}
		return struct{}{}, v.over(t)
	})
	return err
}

// end ends exactly the term t, or shows what stands in its place.
func (s *Store) end(ctx context.Context, t driver.Term, n note) (view, bool, error) {
	v, done, err := s.exactly(ctx, t, func(base, _ int64) *step {
		return &step{
			name: t.Name,
			when: s.keys.exact(t, base),
			then: []clientv3.Op{clientv3.OpPut(s.keys.live(t.Name), s.noted(t, n), clientv3.WithPrevKV())},
		}
	})
	if !done.held {
		return v, false, err
	}
	s.renewals.forget(t.Attempt)
	s.pool.off(done.responses[0].GetResponsePut().PrevKv.Lease)
	return v, true, nil
}

// noted is the note n about t.
func (s *Store) noted(t driver.Term, n note) string {
	n.Token, n.At = t.Token, s.clock().UnixMilli()
	return n.encode()
}

// exactly takes a step, the first change of which is to the live key of t, if t is the
// current term. Otherwise the view shows what it found. Which base a token stands on, and
// which revision made the live key, are not part of a term: they are guessed, and read
// where the guess was wrong.
func (s *Store) exactly(ctx context.Context, t driver.Term, step func(base, live int64) *step) (view, outcome, error) {
	base, live := s.history.get().Base, s.renewals.last(t.Attempt)
	for range 2 {
		done, err := s.queue.do(ctx, step(base, max(live, int64(t.Token)-base)))
		if err != nil || done.held {
			return view{}, done, err
		}
		v, _, err := s.look(ctx, t.Name)
		if err != nil || !v.is(t) || !v.held() {
			return v, outcome{}, err
		}
		base, live = v.grant.base, v.live.ModRevision
	}
	return view{}, outcome{}, errChanged
}

// over is why a step of t is refused. Who has the wrong attempt or the wrong
// token learns no more than a stranger may.
func (v view) over(t driver.Term) error {
	if !v.is(t) {
		return &driver.EndedError{Fence: t.Fence, Cause: driver.EndSuperseded}
	}
	return v.ended(t.Fence)
}

// ttl is the length that the term was last granted or renewed for.
func (v view) ttl() time.Duration {
	ms := v.grant.TTL
	if v.note.State == renewed {
		ms = v.note.TTL
	}
	return time.Duration(ms) * time.Millisecond
}

// Inspect implements driver.Store.
func (s *Store) Inspect(ctx context.Context, name string) (driver.Record, error) {
	if err := fence.CheckName(name); err != nil {
		return driver.Record{}, err
	}
	return tries(ctx, s, func(bool) (driver.Record, error) {
		v, _, err := s.look(ctx, name)
		if err != nil {
			return driver.Record{}, err
		}
		return s.show(ctx, v, map[clientv3.LeaseID]time.Duration{})
	})
}

// show makes the record of a view. known are the etcd leases that were asked
// about already. One that is gone by now took its term along after the view was read.
func (s *Store) show(ctx context.Context, v view, known map[clientv3.LeaseID]time.Duration) (driver.Record, error) {
	if !v.held() {
		return v.record(0), nil
	}
	left, ok := known[v.lease()]
	if ok {
		return v.record(min(left, v.ttl())), nil
	}
	left, there, err := s.remaining(ctx, v.lease())
	if err != nil {
		return driver.Record{}, err
	}
	if there {
		known[v.lease()] = left
		return v.record(min(left, v.ttl())), nil
	}
	again, _, err := s.look(ctx, v.name)
	if err == nil && again.held() { // renewed or granted in between
		err = errChanged
	}
	return again.record(0), err
}
