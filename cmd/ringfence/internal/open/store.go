package open

import (
	"context"
	"database/sql"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/redisstore"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// Store is a store that owns its connection, with what the short commands need.
type Store interface {
	driver.Store
	driver.Lister
	driver.Breaker
	driver.Recoverer
}

// Store connects to the store behind t and sets up what is missing there.
func (t Target) Store(ctx context.Context) (Store, error) {
	if t.Kind == Redis {
		return t.redisStore(ctx)
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
func (s *inDatabase) Close() error { return both(s.Store.Close(), s.db.Close) }

func (t Target) redisStore(ctx context.Context) (Store, error) {
	client := redis.NewClient(t.redis)
	s, err := redisstore.Open(ctx, client, &redisstore.Options{Label: t.Label})
	if err != nil {
		go func() { _ = client.Close() }() // one that hangs must not keep the command
		return nil, err
	}
	return &inRedis{s, client}, nil
}

type inRedis struct {
	*redisstore.Store
	client *redis.Client
}

// Close closes the store, then its client.
func (s *inRedis) Close() error { return both(s.Store.Close(), s.client.Close) }

func both(err error, then func() error) error {
	if second := then(); err == nil {
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
