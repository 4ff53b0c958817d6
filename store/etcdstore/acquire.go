package etcdstore

import (
	"context"
	"errors"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Acquire implements driver.Store. A name that was refused before is looked at
// first, so that who waits for it writes nothing to the cluster's log; but not by one that
// was told that it is its turn.
func (s *Store) Acquire(ctx context.Context, r driver.Request) (driver.Term, error) {
	if err := r.Check(s.props); err != nil {
		return driver.Term{}, err
	}
	r.TTL = s.props.RoundTTL(r.TTL)
	return tries(ctx, s, func(bool) (driver.Term, error) { return s.acquire(ctx, r) })
}

func (s *Store) acquire(ctx context.Context, r driver.Request) (_ driver.Term, err error) {
	defer func() { s.refused.note(r.Name, errors.Is(err, driver.ErrHeld)) }()
	at := footing{s.history.get(), s.places.mod(r.Name, r.Attempt)}
	if at.mod == 0 || !s.promising(r, at.place) {
		var t driver.Term
		if t, at, err = s.ask(ctx, at.moment, r); err != errFree {
			return t, err
		}
	}
	if err := at.exhausted(); err != nil {
		return driver.Term{}, err
	}
	l, err := s.pool.take(ctx, r.TTL)
	if err != nil {
		return driver.Term{}, err
	}
	return s.grant(ctx, at, l, r)
}

// promising reports whether r may well be granted without a look.
func (s *Store) promising(r driver.Request, place int64) bool {
	if place != 0 && s.hub.turn(r.Name, r.Attempt) {
		return true
	}
	waits := place == 0 && s.places.any(r.Name)
	return !waits && !s.refused.has(r.Name) && s.pool.ready(r.TTL)
}

// footing is what a grant stands on: what was known before it.
type footing struct {
	moment
	place int64 // the revision that made the attempt's place in line; 0 where it has none
}

// grant is the step: it makes the term if the name is free and nobody is before r in
// line, the store's record is the one of at, and the attempt was not granted before. The
// place in line goes in the same step.
func (s *Store) grant(ctx context.Context, at footing, l *lent, r driver.Request) (driver.Term, error) {
	g := grant{attempt: r.Attempt, base: at.Base, Holder: r.Holder, Granted: s.clock().UnixMilli(), TTL: r.TTL.Milliseconds()}
	changes := []clientv3.Op{
		clientv3.OpPut(s.keys.live(r.Name), "", clientv3.WithLease(l.id)),
		clientv3.OpPut(s.keys.term(r.Name), g.encode()),
	}
	if at.place != 0 {
		changes = append(changes, clientv3.OpDelete(s.keys.place(r.Name, r.Attempt)))
	}
	done, err := s.queue.do(ctx, &step{
		name: r.Name,
		when: append(s.keys.inTurn(r.Name, r.Attempt, at.place),
			clientv3.Compare(clientv3.ModRevision(s.keys.store()), "=", at.mod),
			s.keys.free(r.Name)),
		then: []clientv3.Op{clientv3.OpTxn(s.keys.ofAttempt(r.Name, r.Attempt), nil, changes)},
	})
	if err != nil {
		s.pool.unused(l, err)
		return driver.Term{}, err
	}
	if done.held && !done.responses[0].GetResponseTxn().Succeeded {
		if at.place != 0 {
			s.gone(r.Name, r.Attempt)
		}
		return s.granted(ctx, at.moment, l, r, done.header)
	}
	s.pool.back(l)
	t, _, err := s.ask(ctx, at.moment, r)
	if err == errFree {
		err = errChanged
	}
	return t, err
}

// granted checks that the grant was made in the history that this client
// follows, before anybody is told its token.
func (s *Store) granted(ctx context.Context, m moment, l *lent, r driver.Request, header *etcdserverpb.ResponseHeader) (driver.Term, error) {
	t := driver.Term{
		Fence:     fence.Fence{Name: r.Name, Token: fence.Token(m.Base + header.Revision)},
		Attempt:   r.Attempt,
		Remaining: l.remaining(),
	}
	if err := s.follow(ctx, m, header); err != nil {
		s.pool.keep(l)
		_, _, _ = s.end(ctx, t, note{State: string(driver.EndForced), By: "ringfence: another history of the cluster"})
		return driver.Term{}, err
	}
	return t, nil
}
