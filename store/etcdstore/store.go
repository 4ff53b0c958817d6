package etcdstore

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
)

// Store hosts leases in etcd. It implements driver.Store, driver.Lister,
// driver.Breaker, driver.Watcher, driver.Queue, driver.BatchQueue,
// driver.TurnWatcher, driver.BatchRenewer, driver.Recoverer and driver.Pruner.
type Store struct {
	client *clientv3.Client
	keys   keys
	props  driver.Properties
	try    time.Duration
	clock  func() time.Time // for the times that people read, and nothing else

	history  history
	pool     *pool
	queue    queue
	refused  refused
	ends     ends
	renewals renewals
	places   places
	keeper   keeper
	rolls    rolls
	hub      hub

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	closed atomic.Bool
	mu     sync.Mutex // makes the end of spawning one moment
	own    sync.WaitGroup
}

var (
	_ driver.Store        = (*Store)(nil)
	_ driver.Lister       = (*Store)(nil)
	_ driver.Breaker      = (*Store)(nil)
	_ driver.Watcher      = (*Store)(nil)
	_ driver.Queue        = (*Store)(nil)
	_ driver.BatchQueue   = (*Store)(nil)
	_ driver.TurnWatcher  = (*Store)(nil)
	_ driver.BatchRenewer = (*Store)(nil)
	_ driver.Recoverer    = (*Store)(nil)
	_ driver.Pruner       = (*Store)(nil)
)

func newStore(client *clientv3.Client, o Options, clock func() time.Time) *Store {
	s := &Store{client: client, keys: keys{o.Prefix}, try: o.Try, clock: clock}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.pool = newPool(s)
	s.queue.store, s.keeper.store, s.rolls.store = s, s, s
	s.places.of = map[string]map[string]*place{}
	s.hub.lines = map[watched]*line{}
	return s
}

// Properties implements driver.Store.
func (s *Store) Properties() driver.Properties { return s.props }

// Close implements driver.Store. It gives up the calls under way and, in at most
// a second, its places in lines and the etcd leases on which no term hangs. The client
// stays open.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.cancel()
	s.mu.Lock() // nothing of ours begins from here on
	//lint:ignore SA2001 the lock waits for a spawn under way
	s.mu.Unlock()
	s.own.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	s.pool.empty(ctx)
	s.keeper.empty(ctx)
	return nil
}

// spawn runs f in a goroutine that Close waits for. It reports false, and runs
// nothing, when the store is closed.
func (s *Store) spawn(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {
		return false
	}
	s.own.Go(f)
	return true
}
