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
			clientv3.Compare(clientv3.CreateRevision(s.keys.live(r.Name)), "=", 0)),
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

// ask looks at the name, at the attempt's place in its line, and at how far the store has
// come since m. Where nothing stands in the way of a grant it fails with errFree.
func (s *Store) ask(ctx context.Context, m moment, r driver.Request) (driver.Term, footing, error) {
	at := footing{moment: m}
	v, resp, err := s.look(ctx, r.Name, s.keys.isAt(r.Name, r.Attempt))
	if err != nil {
		return driver.Term{}, at, err
	}
	if v.store == nil || v.store.ModRevision != m.mod {
		if err := s.history.load(v.store); err != nil {
			return driver.Term{}, at, err
		}
		at.moment = s.history.get()
	}
	if err := s.follow(ctx, at.moment, resp.Header); err != nil {
		return driver.Term{}, at, err
	}
	if own := resp.Responses[len(resp.Responses)-1].GetResponseRange().Kvs; len(own) > 0 {
		at.place = own[0].CreateRevision
	} else {
		s.places.lost(r.Name, r.Attempt, resp.Header.Revision)
	}
	t, err := s.standing(ctx, at, v, r)
	return t, at, err
}

// errFree: nothing stands in the way of a grant.
var errFree = errors.New("free")

// standing is what r gets where a grant is not, or not yet, made.
func (s *Store) standing(ctx context.Context, at footing, v view, r driver.Request) (driver.Term, error) {
	mine := v.term != nil && v.grant.attempt == r.Attempt
	switch {
	case mine && v.term.ModRevision <= at.Accepted: // its number may be one of another history
		return driver.Term{}, &driver.EndedError{Fence: v.fence(), Cause: driver.EndSuperseded}
	case mine && !v.held():
		return driver.Term{}, v.ended(v.fence())
	case !v.held():
		return driver.Term{}, s.kept(ctx, at, v, r)
	case mine:
		left, there, err := s.remaining(ctx, v.lease())
		if err == nil && !there {
			err = errChanged
		}
		return driver.Term{Fence: v.fence(), Attempt: r.Attempt, Remaining: min(left, v.ttl())}, err
	}
	ahead, err := s.ahead(ctx, at, v)
	if err != nil {
		return driver.Term{}, err
	}
	left := s.leftFor(ctx, v.lease())
	return driver.Term{}, &driver.HeldError{Name: v.name, Holder: v.grant.Holder, Token: v.token(), Remaining: min(left, v.ttl()), Ahead: ahead}
}

// leftFor is what is left of another's etcd lease, a help for whoever waits. Less than a
// second, or no answer, is told as a second.
func (s *Store) leftFor(ctx context.Context, id clientv3.LeaseID) time.Duration {
	if left := s.ends.left(id); left > 0 {
		return left
	}
	left, _, _ := s.remaining(ctx, id)
	s.ends.note(id, left)
	return max(time.Second, left)
}

// ahead is how many living waiters are served before an attempt with this footing.
func (s *Store) ahead(ctx context.Context, at footing, v view) (int, error) {
	if at.place == 0 || v.waiting == 0 {
		return int(v.waiting), nil
	}
	ahead, _, err := s.rolls.ahead(ctx, v.name, at.place)
	return ahead, err
}

// kept is why r is not granted a name that nobody holds: it is kept for whoever is first in
// line; or errFree.
func (s *Store) kept(ctx context.Context, at footing, v view, r driver.Request) error {
	if v.waiting == 0 {
		return errFree
	}
	resp, err := s.read(ctx, s.keys.first(v.name))
	if err != nil {
		return err
	}
	line := resp.Responses[0].GetResponseRange().Kvs
	switch {
	case len(line) == 0:
		return errChanged
	case string(line[0].Key) == s.keys.place(r.Name, r.Attempt):
		return errFree
	}
	first, err := decodeWaiting(line[0])
	if err != nil {
		return err
	}
	ahead, err := s.ahead(ctx, at, v)
	if err != nil {
		return err
	}
	left, _, _ := s.remaining(ctx, clientv3.LeaseID(line[0].Lease)) // as in leftFor, but a place may be kept for longer
	held := &driver.HeldError{
		Name: v.name, Holder: first.Holder, Remaining: min(max(time.Second, left), driver.MaxKeep), Ahead: max(1, ahead), Kept: true,
	}
	if v.term != nil {
		held.Token = v.token()
	}
	return held
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
