package etcdstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// keepSlack is how much longer than asked for an etcd lease of places lasts, so that it is
// kept by one request in that time, however many wait.
const keepSlack = 2 * time.Second

// keeper has the etcd leases on which the places of this process hang: one for each
// length of time for which places are kept. They end with the process, and all places
// with them. They are kept by KeepAlive, which terms are not: a place that is lost too
// early costs its owner its turn, and nobody a lease.
type keeper struct {
	store *Store
	mu    sync.Mutex
	kept  map[time.Duration]*kept
}

// kept is one etcd lease.
type kept struct {
	turn  chan struct{} // held by whoever asks etcd
	*lent               // nil where there is none; guarded by keeper.mu
}

// take returns an etcd lease that lasts for keep from now on at least.
func (k *keeper) take(ctx context.Context, keep time.Duration) (clientv3.LeaseID, error) {
	one := k.of(keep)
	select {
	case one.turn <- struct{}{}:
	case <-ctx.Done():
		return 0, k.store.left(ctx)
	}
	defer func() { <-one.turn }()
	now := k.now(one)
	if now != nil && now.age() < now.ttl-keep {
		return now.id, nil
	}
	next, err := k.ask(ctx, now, keep+keepSlack)
	if err != nil {
		return 0, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	one.lent = next
	return next.id, nil
}

// ask has an etcd lease last for ttl from now on: the one that there is, or another.
func (k *keeper) ask(ctx context.Context, now *lent, ttl time.Duration) (*lent, error) {
	next := &lent{since: time.Now()}
	var err error
	if now != nil {
		if next.ttl, err = k.keep(ctx, now.id); err == nil {
			next.id = now.id
			return next, nil
		}
		if !errors.Is(err, rpctypes.ErrLeaseNotFound) {
			return nil, before(judge(err))
		}
	}
	next.id, next.ttl, err = k.store.pool.ask(ctx, ttl)
	return next, err
}

func (k *keeper) keep(ctx context.Context, id clientv3.LeaseID) (time.Duration, error) {
	ctx, cancel := k.store.once(ctx)
	defer cancel()
	resp, err := k.store.client.KeepAliveOnce(ctx, id)
	if err != nil {
		return 0, err
	}
	return time.Duration(resp.TTL) * time.Second, nil
}

func (k *keeper) of(keep time.Duration) *kept {
	k.mu.Lock()
	defer k.mu.Unlock()
	one := k.kept[keep]
	if one == nil {
		one = &kept{turn: make(chan struct{}, 1)}
		if k.kept == nil || len(k.kept) >= most {
			k.kept = map[time.Duration]*kept{}
		}
		k.kept[keep] = one
	}
	return one
}

func (k *keeper) now(one *kept) *lent {
	k.mu.Lock()
	defer k.mu.Unlock()
	return one.lent
}

// lost says that no more places are to hang on an etcd lease.
func (k *keeper) lost(id clientv3.LeaseID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, one := range k.kept {
		if one.lent != nil && one.id == id {
			one.lent = nil
		}
	}
}

// empty gives up all places, when the store is closed.
func (k *keeper) empty(ctx context.Context) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, one := range k.kept {
		if one.lent != nil {
			k.store.pool.revoke(ctx, one.id)
		}
	}
}
