package etcdstore

import (
	"context"
	"errors"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
)

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
	line, err := s.rolls.recent(ctx, v.name, at.place)
	ahead, _ := line.ahead(at.place)
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
