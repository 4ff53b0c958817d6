package open

import (
	"context"
	"errors"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/pgxstore"
)

// inPostgresServer is a store whose waiters are woken. What wakes them takes a
// connection or two, and is opened by the first one that waits.
type inPostgresServer struct {
	*inDatabase
	wake func(context.Context) (*pgxstore.Store, error)

	mu     sync.Mutex
	waker  *pgxstore.Store
	closed bool
}

// waker opens what wakes those who wait at t.
func (t Target) waker(ctx context.Context) (*pgxstore.Store, error) {
	config, err := pgxpool.ParseConfig("")
	if err != nil {
		return nil, err
	}
	config.ConnConfig = t.connConfig()
	return pgxstore.Open(ctx, config, &pgxstore.Options{Label: t.Label, NoSetup: true, Connections: 1})
}

// Watch implements driver.Watcher.
func (s *inPostgresServer) Watch(ctx context.Context, name string) (<-chan struct{}, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, &driver.Fault{Kind: driver.ErrClosed, Err: errors.New("the store was closed")}
	}
	if s.waker == nil {
		w, err := s.wake(ctx)
		if err != nil {
			return nil, err
		}
		s.waker = w
	}
	return s.waker.Watch(ctx, name)
}

// Close closes what wakes, then the store and its database.
func (s *inPostgresServer) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.waker == nil {
		return s.inDatabase.Close()
	}
	return closeBoth(s.waker, s.inDatabase)
}
