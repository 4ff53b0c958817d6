package zkstore

import (
	"context"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/internal/life"
	"github.com/ringfence-go/ringfence/store/internal/stamp"
)

// Store hosts leases in ZooKeeper. It implements driver.Store, driver.Lister,
// driver.Breaker, driver.Watcher, driver.Queue, driver.BatchQueue, driver.TurnWatcher,
// driver.BatchRenewer, driver.Recoverer and driver.Pruner.
type Store struct {
	link     *link
	paths    paths
	acl      []zk.ACL
	patience time.Duration // with one request
	props    driver.Properties
	clock    *clock
	memory   memory
	watches  watches
	places   places
	crowds   crowds

	life *life.Life
}

var (
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

func newStore(servers []string, root string, o Options, now func() time.Time) *Store {
	s := &Store{
		life: life.New(),
		link: newLink(servers, o), paths: paths{root}, acl: o.ACL, patience: o.AnswerWithin, clock: newClock(now),
		props: driver.Properties{
			Store: o.Label, Clock: "the leader of the ensemble", Resolution: unit, MinTTL: 10 * time.Millisecond, Durable: true,
		},
	}
	return s
}

// Properties implements driver.Store.
func (s *Store) Properties() driver.Properties { return s.props }

// Close implements driver.Store. Calls under way are given up, and the session ends.
func (s *Store) Close() error {
	s.life.End()
	s.link.close()
	s.life.Wait()
	return nil
}

// run makes a call, which ends with ctx and with the store, and explains its error.
func run[R any](ctx context.Context, s *Store, what string, f func(context.Context) (R, error)) (R, error) {
	result, err := life.Run(ctx, s.life, f)
	return result, s.explain(what, err)
}

// Acquire implements driver.Store.
func (s *Store) Acquire(ctx context.Context, r driver.Request) (driver.Term, error) {
	st, err := stamp.Acquiring(r, s.props)
	if err != nil {
		return driver.Term{}, err
	}
	return s.step(ctx, r.Name, st)
}

// Renew implements driver.Store.
func (s *Store) Renew(ctx context.Context, t driver.Term, ttl time.Duration) (driver.Term, error) {
	st, err := stamp.Renewing(t, ttl, s.props)
	if err != nil {
		return driver.Term{}, err
	}
	return s.step(ctx, t.Name, st)
}

// Release implements driver.Store.
func (s *Store) Release(ctx context.Context, t driver.Term) error {
	st, err := stamp.Releasing(t)
	if err != nil {
		return err
	}
	_, err = s.step(ctx, t.Name, st)
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
