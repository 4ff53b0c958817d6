package etcdstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Acquire implements driver.Store. A name that was refused before is looked at
// first, so that who waits for it writes nothing to the cluster's log; and so is one
// for which others wait, so that who has given it back does not get before them.
func (s *Store) Acquire(ctx context.Context, r driver.Request) (driver.Term, error) {
	if err := r.Check(s.props); err != nil {
		return driver.Term{}, err
	}
	r.TTL = s.props.RoundTTL(r.TTL)
	return tries(ctx, s, func(bool) (driver.Term, error) { return s.acquire(ctx, r) })
}

func (s *Store) acquire(ctx context.Context, r driver.Request) (_ driver.Term, err error) {
	others := false
	defer func() { s.refused.note(r.Name, errors.Is(err, driver.ErrHeld) || others || s.hub.others(r.Name)) }()
	m := s.history.get()
	if m.mod == 0 || s.refused.has(r.Name) || !s.pool.ready(r.TTL) {
		var t driver.Term
		if t, m, err = s.ask(ctx, m, r); err == errInTurn && !s.hub.told(r.Name) && s.wait(ctx, 0) {
			t, m, err = s.ask(ctx, m, r)
		}
		if !free(err) {
			return t, err
		}
		others = err == errInTurn
	}
	if err := m.exhausted(); err != nil {
		return driver.Term{}, err
	}
	l, err := s.pool.take(ctx, r.TTL)
	if err != nil {
		return driver.Term{}, err
	}
	return s.grant(ctx, m, l, r)
}

// grant is the step: it makes the term if the name is free, the store's record is
// the one of m, and the attempt was not granted before.
func (s *Store) grant(ctx context.Context, m moment, l *lent, r driver.Request) (driver.Term, error) {
	g := grant{attempt: r.Attempt, base: m.Base, Holder: r.Holder, Granted: s.clock().UnixMilli(), TTL: r.TTL.Milliseconds()}
	place, passing := s.hub.first(r.Name)
	changes := append([]clientv3.Op{
		clientv3.OpPut(s.keys.live(r.Name), "", clientv3.WithLease(l.id)),
		clientv3.OpPut(s.keys.term(r.Name), g.encode()),
	}, passing...)
	done, err := s.queue.do(ctx, &step{
		name: r.Name,
		when: []clientv3.Cmp{
			clientv3.Compare(clientv3.ModRevision(s.keys.store()), "=", m.mod),
			clientv3.Compare(clientv3.CreateRevision(s.keys.live(r.Name)), "=", 0),
		},
		then: []clientv3.Op{clientv3.OpTxn(s.keys.ofAttempt(r.Name, r.Attempt), nil, changes)},
	})
	if err != nil {
		s.pool.unused(l, err)
		return driver.Term{}, err
	}
	if done.held && !done.responses[0].GetResponseTxn().Succeeded {
		s.hub.passed(place, done.header.Revision, done.responses[0].GetResponseTxn().Responses)
		return s.granted(ctx, m, l, r, done.header)
	}
	s.pool.back(l)
	t, _, err := s.ask(ctx, m, r)
	if free(err) {
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

// ask looks at the name, and at how far the store has come since m.
func (s *Store) ask(ctx context.Context, m moment, r driver.Request) (driver.Term, moment, error) {
	v, resp, err := s.look(ctx, r.Name)
	if err != nil {
		return driver.Term{}, m, err
	}
	if v.store == nil || v.store.ModRevision != m.mod {
		if err := s.history.load(v.store); err != nil {
			return driver.Term{}, m, err
		}
		m = s.history.get()
	}
	if err := s.follow(ctx, m, resp.Header); err != nil {
		return driver.Term{}, m, err
	}
	t, err := s.standing(ctx, m, v, r)
	return t, m, err
}

var (
	// errFree: nothing stands in the way of a grant.
	errFree = errors.New("free")
	// errInTurn: nothing but those who wait in line, who are given a moment.
	errInTurn = errors.New("free for the next in line")
)

func free(err error) bool { return err == errFree || err == errInTurn }

// standing is what r gets where a grant is not, or not yet, made.
func (s *Store) standing(ctx context.Context, m moment, v view, r driver.Request) (driver.Term, error) {
	mine := v.term != nil && v.grant.attempt == r.Attempt
	switch {
	case mine && v.term.ModRevision <= m.Accepted: // its number may be one of another history
		return driver.Term{}, &driver.EndedError{Fence: v.fence(), Cause: driver.EndSuperseded}
	case mine && !v.held():
		return driver.Term{}, v.ended(v.fence())
	case !v.held() && v.waiting:
		return driver.Term{}, errInTurn
	case !v.held():
		return driver.Term{}, errFree
	}
	if left := s.ends.left(v.lease()); !mine && left > 0 {
		return driver.Term{}, v.heldFor(left)
	}
	left, there, err := s.remaining(ctx, v.lease())
	if mine {
		if err == nil && !there {
			err = errChanged
		}
		return driver.Term{Fence: v.fence(), Attempt: r.Attempt, Remaining: min(left, v.ttl())}, err
	}
	// What is left of another's lease is a help for whoever waits. Less than a
	// second, or no answer, is told as a second.
	s.ends.note(v.lease(), left)
	return driver.Term{}, v.heldFor(max(time.Second, left))
}

func (v view) heldFor(left time.Duration) error {
	return &driver.HeldError{Name: v.name, Holder: v.grant.Holder, Token: v.token(), Remaining: min(left, v.ttl())}
}

// ends remembers when etcd leases end. No term's is ever prolonged, but by a new leader: so
// for who waits it is enough to have asked once.
type ends struct {
	mu sync.Mutex
	at map[clientv3.LeaseID]time.Time
}

// left is what is left of an etcd lease, or 0 where that is not known.
func (e *ends) left(id clientv3.LeaseID) time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	return max(0, time.Until(e.at[id]))
}

func (e *ends) note(id clientv3.LeaseID, left time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.at == nil || len(e.at) >= most {
		e.at = map[clientv3.LeaseID]time.Time{}
	}
	e.at[id] = time.Now().Add(left)
}

// refused remembers the names that were held when this client last asked.
type refused struct {
	mu    sync.Mutex
	names map[string]struct{}
}

// most bounds the memory for names, and for etcd leases. A forgotten one costs an entry
// in the cluster's log, or a request, when it is refused again.
const most = 10000

func (r *refused) has(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.names[name]
	return ok
}

func (r *refused) note(name string, held bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !held:
		delete(r.names, name)
	case len(r.names) >= most, r.names == nil:
		r.names = map[string]struct{}{name: {}}
	default:
		r.names[name] = struct{}{}
	}
}
