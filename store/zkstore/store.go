package zkstore

import (
	"context"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Store hosts leases in ZooKeeper. It implements driver.Store, driver.Lister,
// driver.Breaker, driver.Watcher, driver.BatchRenewer, driver.Recoverer and
// driver.Pruner.
type Store struct {
	link     *link
	paths    paths
	acl      []zk.ACL
	patience time.Duration // with one request
	props    driver.Properties
	clock    *clock
	memory   memory
	watches  watches

	ctx    context.Context // lives until Close
	cancel context.CancelFunc
	mu     sync.Mutex     // guards the start of what all counts against Close
	all    sync.WaitGroup // what runs on a goroutine of the store's own
}

var (
	_ driver.Lister       = (*Store)(nil)
	_ driver.Breaker      = (*Store)(nil)
	_ driver.Watcher      = (*Store)(nil)
	_ driver.BatchRenewer = (*Store)(nil)
	_ driver.Recoverer    = (*Store)(nil)
	_ driver.Pruner       = (*Store)(nil)
)

func newStore(servers []string, root string, o Options, now func() time.Time) *Store {
	s := &Store{
		link: newLink(servers, o), paths: paths{root}, acl: o.ACL, patience: o.AnswerWithin, clock: newClock(now),
		props: driver.Properties{
			Store: o.Label, Clock: "the leader of the ensemble", Resolution: unit, MinTTL: 10 * time.Millisecond, Durable: true,
		},
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Properties implements driver.Store.
func (s *Store) Properties() driver.Properties { return s.props }

// Close implements driver.Store. Calls under way are given up, and the session ends.
func (s *Store) Close() error {
	s.mu.Lock()
	s.cancel()
	s.mu.Unlock()
	s.link.close()
	s.all.Wait()
	return nil
}

// start runs f on a goroutine that Close waits for, unless the store is closed.
func (s *Store) start(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return false
	}
	s.all.Go(f)
	return true
}

// run makes a call, which ends with ctx and with the store, and explains its error.
func run[R any](ctx context.Context, s *Store, what string, f func(context.Context) (R, error)) (R, error) {
	var none R
	if s.ctx.Err() != nil {
		return none, s.explain(what, errClosed)
	}
	if err := ctx.Err(); err != nil {
		return none, s.explain(what, before(err))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	result, err := f(ctx)
	if err != nil {
		return none, s.explain(what, err)
	}
	return result, nil
}

// Acquire implements driver.Store.
func (s *Store) Acquire(ctx context.Context, r driver.Request) (driver.Term, error) {
	if err := r.Check(s.props); err != nil {
		return driver.Term{}, err
	}
	return s.step(ctx, r.Name, step{Kind: acquire, Attempt: r.Attempt, Holder: r.Holder, TTL: s.props.RoundTTL(r.TTL)})
}

// Renew implements driver.Store.
func (s *Store) Renew(ctx context.Context, t driver.Term, ttl time.Duration) (driver.Term, error) {
	st, err := s.renewal(t, ttl)
	if err != nil {
		return driver.Term{}, err
	}
	return s.step(ctx, t.Name, st)
}

func (s *Store) renewal(t driver.Term, ttl time.Duration) (step, error) {
	if err := t.Check(); err != nil {
		return step{}, err
	}
	if err := s.props.CheckTTL(ttl); err != nil {
		return step{}, err
	}
	return step{Kind: renew, Attempt: t.Attempt, Token: t.Token, TTL: s.props.RoundTTL(ttl)}, nil
}

// Release implements driver.Store.
func (s *Store) Release(ctx context.Context, t driver.Term) error {
	if err := t.Check(); err != nil {
		return err
	}
	_, err := s.step(ctx, t.Name, step{Kind: release, Attempt: t.Attempt, Token: t.Token})
	return err
}

// Inspect implements driver.Store.
func (s *Store) Inspect(ctx context.Context, name string) (driver.Record, error) {
	if err := fence.CheckName(name); err != nil {
		return driver.Record{}, err
	}
	return run(ctx, s, "inspect "+fence.Quote(name), func(ctx context.Context) (driver.Record, error) {
		_, rec, err := s.inspect(ctx, name)
		return rec, err
	})
}
