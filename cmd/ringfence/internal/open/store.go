package open

import (
	"context"
	"database/sql"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// Dialect is the SQL of t.
func (t Target) Dialect() sqlstore.Dialect {
	if t.Kind == Postgres {
		return sqlstore.Postgres
	}
	return sqlstore.SQLite
}

// Store connects to the store behind t and sets up its schema where that is missing.
func (t Target) Store(ctx context.Context) (*Store, error) {
	db, err := t.Database(ctx)
	if err != nil {
		return nil, err
	}
	s, err := sqlstore.Open(ctx, db, t.Dialect(), &sqlstore.Options{Label: t.Label})
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return &Store{Store: s, db: db}, nil
}

// Store is a store that owns its database.
type Store struct {
	*sqlstore.Store
	db *sql.DB
}

// Close closes the store, then its database.
func (s *Store) Close() error {
	err := s.Store.Close()
	if dbErr := s.db.Close(); err == nil {
		err = dbErr
	}
	return err
}

var (
	_ driver.Store     = (*Store)(nil)
	_ driver.Lister    = (*Store)(nil)
	_ driver.Breaker   = (*Store)(nil)
	_ driver.Recoverer = (*Store)(nil)
	_ driver.Pruner    = (*Store)(nil)
)

// Default is the target used when none is named. Its folder is made when it is
// first opened.
func Default() (Target, error) {
	path, err := DefaultFile()
	if err != nil {
		return Target{}, err
	}
	t := FromFile(path)
	t.makeFolder = true
	return t, nil
}
