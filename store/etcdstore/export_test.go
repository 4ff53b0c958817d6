package etcdstore

import (
	"context"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
)

// OpenSkewed opens a store whose caller's clock is off.
func OpenSkewed(ctx context.Context, client *clientv3.Client, skew time.Duration) (*Store, error) {
	full, err := (*Options)(nil).withDefaults(client)
	if err != nil {
		return nil, err
	}
	return open(ctx, client, full, func() time.Time { return time.Now().Add(skew) })
}

// GrantBlindly takes the step of an acquire on an etcd lease that s has lent
// before, without any look.
func (s *Store) GrantBlindly(ctx context.Context, r driver.Request) (driver.Term, error) {
	for _, l := range s.pool.lent {
		l.users++
		return s.grant(ctx, footing{s.history.get(), s.places.mod(r.Name, r.Attempt)}, l, r)
	}
	return driver.Term{}, errFree
}

// ForgetAsSeen forgets name as it was before between was called.
func (s *Store) ForgetAsSeen(ctx context.Context, name string, between func()) (int, error) {
	v, _, err := s.look(ctx, name)
	if err != nil {
		return 0, err
	}
	between()
	return s.forgetAll(ctx, []clientv3.Op{s.forget(v)})
}

// Occupy has a transaction under way that is not answered until free is called. Steps wait
// for one that is not stuck for as long.
func (s *Store) Occupy(stuck bool) (free func()) {
	p := s.queue.join(&step{})
	if !stuck {
		s.queue.mu.Lock()
		defer s.queue.mu.Unlock()
		p.timer = time.NewTimer(time.Hour)
	}
	return p.free
}

// SendTogether sends two steps in one Txn. The second one puts a key on an etcd lease that
// does not exist.
func (s *Store) SendTogether(good, bad string) (error, error) {
	put := func(name string, o ...clientv3.OpOption) *step {
		return &step{name: name, then: []clientv3.Op{clientv3.OpPut(s.keys.note(name), "{}", o...)}, answered: make(chan struct{})}
	}
	a, b := put(good), put(bad, clientv3.WithLease(12345))
	s.queue.send([]*step{a, b})
	return a.err, b.err
}

// RenewLate takes the step of a renewal as it was decided before between was called, and
// reports whether it was made.
func (s *Store) RenewLate(ctx context.Context, t driver.Term, ttl time.Duration, between func()) (bool, error) {
	l, err := s.pool.take(ctx, ttl)
	if err != nil {
		return false, err
	}
	base := s.history.get().Base
	late := s.renewal(t, ttl, l, base, max(s.renewals.last(t.Attempt), int64(t.Token)-base))
	between()
	done, err := s.queue.do(ctx, late)
	return done.held, err
}
