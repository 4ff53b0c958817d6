package open

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// Store is a store with what the short commands need of one.
type Store interface {
	driver.Store
	driver.Lister
	driver.Breaker
	driver.Recoverer
}

// Store connects to the store behind t and sets up what is missing there. Closing
// it closes the connection too.
func (t Target) Store(ctx context.Context) (Store, error) {
	if t.server != nil {
		return t.server(ctx, t.Label)
	}
	return t.sqlStore(ctx)
}

// Examine says what decides whether the store behind t can host leases. It sets
// nothing up and changes nothing.
func (t Target) Examine(ctx context.Context) ([]driver.Finding, error) {
	if t.examine != nil {
		return t.examine(ctx, t.Label)
	}
	if _, err := os.Stat(t.path); t.Kind == SQLite && errors.Is(err, fs.ErrNotExist) {
		return []driver.Finding{{Subject: "file", Grade: driver.Fit, Found: "none yet", Means: "it is made when the store is first used"}}, nil
	}
	db, err := t.asItIs()
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return sqlstore.Examine(ctx, db, t.dialect(), &sqlstore.Options{Label: t.Label})
}

func (t Target) dialect() sqlstore.Dialect {
	if t.Kind == Postgres {
		return sqlstore.Postgres
	}
	return sqlstore.SQLite
}

func (t Target) sqlStore(ctx context.Context) (Store, error) {
	db, err := t.Database(ctx)
	if err != nil {
		return nil, err
	}
	s, err := sqlstore.Open(ctx, db, t.dialect(), &sqlstore.Options{Label: t.Label})
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	if t.Kind == Postgres {
		return &inPostgresServer{inDatabase: &inDatabase{s, db}, wake: t.waker}, nil
	}
	return &inDatabase{s, db}, nil
}

type inDatabase struct {
	*sqlstore.Store
	db *sql.DB
}

// Close closes the store, then its database.
func (s *inDatabase) Close() error { return closeBoth(s.Store, s.db) }

func closeBoth(store, connection io.Closer) error {
	err := store.Close()
	if second := connection.Close(); err == nil {
		err = second
	}
	return err
}

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
