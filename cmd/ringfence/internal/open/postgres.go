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
// connection or two, and so is opened when somebody waits.
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

var _ driver.TurnWatcher = (*inPostgresServer)(nil)

// Watch implements driver.Watcher.
func (s *inPostgresServer) Watch(ctx context.Context, name string) (<-chan struct{}, error) {
	w, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	return w.Watch(ctx, name)
}

// WatchTurn implements driver.TurnWatcher.
func (s *inPostgresServer) WatchTurn(ctx context.Context, name, attempt string) (<-chan struct{}, error) {
	w, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	return w.WatchTurn(ctx, name, attempt)
}

// opened is what wakes, which the first one that waits opens.
func (s *inPostgresServer) opened(ctx context.Context) (*pgxstore.Store, error) {
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
	return s.waker, nil
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
