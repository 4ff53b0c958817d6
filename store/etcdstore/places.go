package etcdstore

import (
	"math"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// places are those that this process has in the lines for names, by name and attempt.
type places struct {
	mu sync.Mutex
	of map[string]map[string]*place
}

// place is one of them.
type place struct {
	mod   int64 // the revision that made it; 0 where that is not known
	on    clientv3.LeaseID
	since int64
	until *time.Timer // removes the place when nothing is heard of its owner
}

// hold says that an attempt waits, at a place on the etcd lease on, and for how long; and
// returns what was known of it. All that wait in a process hang on one etcd lease, so one
// of which nothing is heard while others live is removed by this process itself.
func (p *places) hold(s *Store, name, attempt string, on clientv3.LeaseID, keep time.Duration) (had place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of[name] == nil {
		p.of[name] = map[string]*place{}
	}
	own := p.of[name][attempt]
	if own == nil {
		own = &place{until: time.AfterFunc(math.MaxInt64, func() { s.spawn(func() { s.lapse(name, attempt) }) })}
		p.of[name][attempt] = own
	}
	had = *own
	own.on = on
	own.until.Reset(keep + keepSlack)
	return had
}

// note says where the place of an attempt is.
func (p *places) note(name, attempt string, mod, since int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own := p.of[name][attempt]; own != nil {
		own.mod, own.since = mod, since
	}
}

// lost says that an attempt had no place at a revision of the cluster.
func (p *places) lost(name, attempt string, at int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own := p.of[name][attempt]; own != nil && own.mod <= at {
		own.mod = 0
	}
}

// mod is the revision that made the place of an attempt, or 0 where this process knows of none.
func (p *places) mod(name, attempt string) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own := p.of[name][attempt]; own != nil {
		return own.mod
	}
	return 0
}

// any reports whether somebody in this process waits for name.
func (p *places) any(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.of[name]) > 0
}

// drop forgets the place of an attempt, and returns what was known of it, or nil.
func (p *places) drop(name, attempt string) *place {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.of[name][attempt]
	if own == nil {
		return nil
	}
	own.until.Stop()
	if delete(p.of[name], attempt); len(p.of[name]) == 0 {
		delete(p.of, name)
	}
	return own
}

// lapse removes a place whose owner has been silent for too long.
func (s *Store) lapse(name, attempt string) {
	own := s.places.drop(name, attempt)
	if own == nil {
		return
	}
	key := s.keys.place(name, attempt)
	_, err := tries(s.ctx, s, func(bool) (*clientv3.TxnResponse, error) {
		return s.txn(s.ctx, []clientv3.Cmp{clientv3.Compare(clientv3.LeaseValue(key), "=", own.on)}, []clientv3.Op{clientv3.OpDelete(key)}, nil)
	})
	if err != nil {
		s.keeper.lost(own.on) // it is kept no longer, and the place goes with it; the others move to another one
	}
	s.hub.moved(name, attempt)
}
