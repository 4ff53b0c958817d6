package etcdstore

import (
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

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

// renewals remembers which revision made the last renewal of each term that was answered.
// What is forgotten costs the next renewal a reading.
type renewals struct {
	mu sync.Mutex
	at map[string]int64 // by attempt
}

// mostRenewals bounds that memory: about 10 MB.
const mostRenewals = 100_000

// last is the revision, or 0 where none is known.
func (r *renewals) last(attempt string) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at[attempt]
}

func (r *renewals) note(attempt string, revision int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.at == nil || len(r.at) >= mostRenewals {
		r.at = map[string]int64{}
	}
	r.at[attempt] = max(r.at[attempt], revision)
}

func (r *renewals) forget(attempt string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.at, attempt)
}
