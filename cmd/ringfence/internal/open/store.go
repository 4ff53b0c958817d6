package open

import (
	"context"
	"database/sql"
	"io"

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

func (t Target) sqlStore(ctx context.Context) (Store, error) {
	db, err := t.Database(ctx)
	if err != nil {
		return nil, err
	}
	dialect := sqlstore.SQLite
	if t.Kind == Postgres {
		dialect = sqlstore.Postgres
	}
	s, err := sqlstore.Open(ctx, db, dialect, &sqlstore.Options{Label: t.Label})
	if err != nil {
		_ = db.Close()
		return nil, err
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
