package pgxstore

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

var (
	_ driver.Store        = (*Store)(nil)
	_ driver.Lister       = (*Store)(nil)
	_ driver.Breaker      = (*Store)(nil)
	_ driver.BatchRenewer = (*Store)(nil)
	_ driver.Recoverer    = (*Store)(nil)
	_ driver.Pruner       = (*Store)(nil)
	_ driver.Watcher      = (*Store)(nil)
	_ driver.Queue        = (*Store)(nil)
	_ driver.TurnWatcher  = (*Store)(nil)
)

// Store hosts leases in a PostgreSQL. It implements driver.Store, driver.Lister,
// driver.Breaker, driver.BatchRenewer, driver.Queue, driver.Recoverer, driver.Pruner,
// driver.Watcher and driver.TurnWatcher: all but the last two as the store of package
// sqlstore does, with the same statements and in the same tables.
type Store struct {
	*sqlstore.Store
	db      *sql.DB
	hub     *hub
	closing sync.Once
}

// Watch implements driver.Watcher. A release and a break tell the one that has
// waited longest, whichever process it is in. All watches of a store share one
// connection, which the first one opens. Behind a pooler in transaction mode it
// fails with driver.ErrUnfit, and whoever waits asks from time to time.
func (s *Store) Watch(ctx context.Context, name string) (<-chan struct{}, error) {
	if err := fence.CheckName(name); err != nil {
		return nil, err
	}
	return s.watch(ctx, name, "")
}

// WatchTurn implements driver.TurnWatcher.
func (s *Store) WatchTurn(ctx context.Context, name, attempt string) (<-chan struct{}, error) {
	if err := driver.CheckPlace(name, attempt); err != nil {
		return nil, err
	}
	return s.watch(ctx, name, attempt)
}

func (s *Store) watch(ctx context.Context, name, attempt string) (<-chan struct{}, error) {
	hints, err := s.hub.watch(ctx, name, attempt)
	if err != nil {
		return nil, fault(s.Properties().Store+": watch "+fence.Quote(name), err)
	}
	return hints, nil
}

// Close implements driver.Store. Calls under way are given up.
func (s *Store) Close() (err error) {
	s.closing.Do(func() {
		s.hub.close()
		err = errors.Join(s.Store.Close(), s.db.Close())
	})
	return err
}
