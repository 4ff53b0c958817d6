package etcdstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
)

// window is for how long an etcd lease is lent to new terms. It is granted for that much
// longer than is asked for, so that nothing on it is short.
const window = 500 * time.Millisecond

// lent is one etcd lease on which terms of one length hang.
type lent struct {
	id    clientv3.LeaseID
	asked time.Duration // what a term asks for
	ttl   time.Duration // what etcd granted, from a moment after since
	since time.Time     // before etcd was asked
	users int           // terms that hang on it, or may
	kept  bool          // a term may hang on it that nobody knows of
}

// age counts on whichever of monotonic and wall time has moved more.
func (l *lent) age() time.Duration {
	now := time.Now()
	return max(now.Sub(l.since), now.Round(0).Sub(l.since.Round(0)))
}

// remaining is how long a term on l lasts at least, in whole seconds and never
// more than it asked for.
func (l *lent) remaining() time.Duration {
	return min(l.asked, max(0, l.ttl-l.age()).Truncate(time.Second))
}

// pool lends etcd leases to terms, and revokes those on which none hangs. An
// etcd lease is revoked only when every term on it is known to be off it: all
// others end by themselves.
type pool struct {
	store *Store

	mu     sync.Mutex
	fresh  map[time.Duration]*lent
	lent   map[clientv3.LeaseID]*lent
	asking map[time.Duration]*asking
}

// asking is a grant under way, for all who wait for it.
type asking struct {
	done chan struct{}
	err  error
}

func newPool(s *Store) *pool {
	return &pool{
		store: s, fresh: map[time.Duration]*lent{}, lent: map[clientv3.LeaseID]*lent{}, asking: map[time.Duration]*asking{},
	}
}

// ready reports whether take would ask for nothing.
func (p *pool) ready(ttl time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.usable(ttl) != nil
}

func (p *pool) usable(ttl time.Duration) *lent {
	if l := p.fresh[ttl]; l != nil && l.age() < window {
		return l
	}
	return nil
}

// take lends an etcd lease to a term of ttl. Give it back with [pool.back].
func (p *pool) take(ctx context.Context, ttl time.Duration) (*lent, error) {
	for {
		p.mu.Lock()
		if l := p.usable(ttl); l != nil {
			l.users++
			p.mu.Unlock()
			return l, nil
		}
		a := p.asking[ttl]
		if a == nil {
			a = &asking{done: make(chan struct{})}
			if !p.store.spawn(func() { p.grant(a, ttl) }) {
				p.mu.Unlock()
				return nil, p.store.left(ctx)
			}
			p.asking[ttl] = a
		}
		p.mu.Unlock()
		select {
		case <-a.done:
		case <-ctx.Done():
			return nil, p.store.left(ctx)
		}
		if a.err != nil {
			return nil, a.err
		}
	}
}

// grant asks etcd for a lease, on behalf of all who wait.
func (p *pool) grant(a *asking, ttl time.Duration) {
	l := &lent{asked: ttl, since: time.Now()}
	l.id, l.ttl, a.err = p.ask(p.store.ctx, ttl+window)
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.asking, ttl)
	close(a.done)
	if a.err != nil {
		return
	}
	for id, old := range p.lent {
		if old.age() > old.ttl+time.Minute { // over, whoever hung on it
			delete(p.lent, id)
		}
	}
	before := p.fresh[ttl]
	p.fresh[ttl], p.lent[l.id] = l, l
	p.tidy(before)
}

func (p *pool) ask(ctx context.Context, ttl time.Duration) (clientv3.LeaseID, time.Duration, error) {
	ctx, cancel := p.store.once(ctx)
	defer cancel()
	resp, err := p.store.client.Grant(ctx, int64((ttl+time.Second-1)/time.Second))
	if err != nil {
		return 0, 0, before(judge(err))
	}
	return resp.ID, time.Duration(resp.TTL) * time.Second, nil
}

// shortest is the shortest lease that the server grants, whatever is asked for.
func (p *pool) shortest(ctx context.Context) (time.Duration, error) {
	id, ttl, err := p.ask(ctx, time.Second)
	if err == nil {
		p.store.spawn(func() { p.revoke(p.store.ctx, id) })
	}
	return ttl, err
}

// back says that a term does not hang on l.
func (p *pool) back(l *lent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.users--
	p.tidy(l)
}

// off says that a term is off the etcd lease of that id, which may be another client's.
func (p *pool) off(id int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l := p.lent[clientv3.LeaseID(id)]; l != nil {
		l.users--
		p.tidy(l)
	}
}

// keep says that nobody knows whether a term hangs on l.
func (p *pool) keep(l *lent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.kept = true
}

// lost says that etcd knows l no more.
func (p *pool) lost(l *lent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.lent, l.id)
	if p.fresh[l.asked] == l {
		delete(p.fresh, l.asked)
	}
}

// unused gives back the etcd lease of a transaction that failed.
func (p *pool) unused(l *lent, err error) {
	var r ruling
	if errors.As(err, &r) && r.kind == driver.ErrUnknown {
		p.keep(l)
	}
	if errors.Is(err, rpctypes.ErrLeaseNotFound) {
		p.lost(l)
	}
	p.back(l)
}

// tidy revokes l if nothing can hang on it, now or later.
func (p *pool) tidy(l *lent) {
	if l == nil || l.users > 0 || l.kept || p.lent[l.id] != l || p.fresh[l.asked] == l {
		return
	}
	delete(p.lent, l.id)
	p.store.spawn(func() { p.revoke(p.store.ctx, l.id) })
}

// revoke ends an etcd lease. Where it fails, the lease ends by itself.
func (p *pool) revoke(ctx context.Context, id clientv3.LeaseID) {
	ctx, cancel := context.WithTimeout(ctx, p.store.try)
	defer cancel()
	_, _ = p.store.client.Revoke(ctx, id)
}

// empty revokes what no term hangs on, when the store is closed.
func (p *pool) empty(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.fresh {
		if l.users == 0 && !l.kept && p.lent[l.id] == l {
			p.revoke(ctx, l.id)
		}
	}
}
