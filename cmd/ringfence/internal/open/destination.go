package open

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/casguard"
	"github.com/ringfence-go/ringfence/guard/etcdguard"
	"github.com/ringfence-go/ringfence/guard/redisguard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/guard/tableguard"
)

// Destination is a place where guards keep their marks.
type Destination interface {
	// Marks sums up the marks of the leases whose names begin with prefix.
	Marks(ctx context.Context, prefix string) (guard.Marks, error)
	// Raise raises those that are lower, and returns how many.
	Raise(ctx context.Context, prefix string, to fence.Token) (int, error)
	Close() error
}

// Destination opens the guarded place behind t. It creates nothing there.
func (t Target) Destination(ctx context.Context) (Destination, error) {
	switch {
	case t.destination != nil:
		return t.destination(ctx)
	case t.object != nil:
		return newObject(t.object(ctx, guard.Sequenced))
	case t.Kind == Postgres:
		return newInSQL(t.postgres(), Postgres), nil
	case t.Kind == SQLite:
		return t.sqliteDestination()
	}
	return nil, fmt.Errorf("%w destination %s: no guard keeps marks there that can be read as a whole", fence.ErrInvalid, t.Label)
}

// sqliteDestination is the file's.
func (t Target) sqliteDestination() (Destination, error) {
	db, err := t.existingFile()
	if err != nil {
		return nil, err
	}
	return newInSQL(db, SQLite), nil
}

// existingFile opens a file of SQLite that is there, and leaves its journal as it is.
func (t Target) existingFile() (*sql.DB, error) {
	if _, err := os.Stat(t.path); err != nil {
		return nil, unfit(fmt.Errorf("the database file: %w", reasonOf(err)), "name the file that the protected data is in")
	}
	return openSQLite(t.path)
}

// inSQL are the marks of package sqlguard and those of guarded tables.
type inSQL struct {
	db      *sql.DB
	dialect sqlguard.Dialect
	tables  *tableguard.DB
}

func newInSQL(db *sql.DB, k Kind) *inSQL {
	dialects := map[Kind]sqlguard.Dialect{Postgres: sqlguard.Postgres, SQLite: sqlguard.SQLite, MySQL: sqlguard.MySQL}
	return &inSQL{db, dialects[k], tableguard.On(db, tableDialects[k])}
}

func (d *inSQL) Marks(ctx context.Context, prefix string) (guard.Marks, error) {
	one, err1 := sqlguard.Marks(ctx, d.db, d.dialect, prefix)
	other, err2 := d.tables.Marks(ctx, prefix)
	return one.Add(other), errors.Join(err1, err2)
}

// Raise looks first, since there may be no tables for marks.
func (d *inSQL) Raise(ctx context.Context, prefix string, to fence.Token) (n int, err error) {
	if m, err := sqlguard.Marks(ctx, d.db, d.dialect, prefix); err != nil {
		return 0, err
	} else if m.Count > 0 {
		if n, err = sqlguard.RaiseMarks(ctx, d.db, d.dialect, prefix, to); err != nil {
			return n, err
		}
	}
	if m, err := d.tables.Marks(ctx, prefix); err != nil || m.Count == 0 {
		return n, err
	}
	more, err := d.tables.RaiseMarks(ctx, prefix, to)
	return n + more, err
}

// AllMarks lists the marks in the SQL database behind t one by one.
func (t Target) AllMarks(ctx context.Context) ([]guard.HighMark, error) {
	db, err := t.existing()
	if err != nil {
		return nil, err
	}
	d := newInSQL(db, t.Kind)
	defer d.Close()
	return d.all(ctx)
}

// all looks first, as Raise does.
func (d *inSQL) all(ctx context.Context) (all []guard.HighMark, err error) {
	m, err := sqlguard.Marks(ctx, d.db, d.dialect, "")
	if err == nil && m.Count > 0 {
		all, err = sqlguard.Above(ctx, d.db, d.dialect, 0)
	}
	if err != nil {
		return nil, err
	}
	if m, err = d.tables.Marks(ctx, ""); err != nil || m.Count == 0 {
		return all, err
	}
	more, err := d.tables.Above(ctx, 0)
	return append(all, more...), err
}

func (d *inSQL) Close() error { return d.db.Close() }

// marksInRedis are the marks of package redisguard.
type marksInRedis struct{ client *redis.Client }

func (d marksInRedis) Marks(ctx context.Context, prefix string) (guard.Marks, error) {
	return redisguard.Marks(ctx, d.client, prefix)
}

func (d marksInRedis) Raise(ctx context.Context, prefix string, to fence.Token) (int, error) {
	return redisguard.RaiseMarks(ctx, d.client, prefix, to)
}

func (d marksInRedis) Close() error { return d.client.Close() }

// marksInEtcd are the marks of package etcdguard.
type marksInEtcd struct {
	client  *clientv3.Client
	options *etcdguard.Options
}

// etcdDestination opens the marks below the path of u, or below the guard's default.
func etcdDestination(ctx context.Context, u *url.URL) (Destination, error) {
	client, err := etcdClient(ctx, u)
	if err != nil {
		return nil, err
	}
	return marksInEtcd{client, &etcdguard.Options{Prefix: etcdOptions(u, "").Prefix}}, nil
}

func (d marksInEtcd) Marks(ctx context.Context, prefix string) (guard.Marks, error) {
	return etcdguard.Marks(ctx, d.client, d.options, prefix)
}

func (d marksInEtcd) Raise(ctx context.Context, prefix string, to fence.Token) (int, error) {
	return etcdguard.RaiseMarks(ctx, d.client, d.options, prefix, to)
}

func (d marksInEtcd) Close() error { return d.client.Close() }

// object is the one mark in a guarded object.
type object struct{ guard *casguard.Guard }

func newObject(g *casguard.Guard, err error) (Destination, error) {
	if err != nil {
		return nil, err
	}
	return object{g}, nil
}

func (o object) Marks(ctx context.Context, prefix string) (guard.Marks, error) {
	m, err := o.guard.Mark(ctx)
	if err != nil || !m.Established() || !strings.HasPrefix(m.Lease, prefix) {
		return guard.Marks{}, err
	}
	return guard.Marks{Count: 1, Highest: m.Token}, nil
}

func (o object) Raise(ctx context.Context, prefix string, to fence.Token) (int, error) {
	m, err := o.guard.Mark(ctx)
	if err != nil || !m.Established() || !strings.HasPrefix(m.Lease, prefix) || m.Token >= to {
		return 0, err
	}
	_, err = o.guard.Establish(ctx, fence.Fence{Name: m.Lease, Token: to})
	if refused, ok := errors.AsType[*fence.RefusedError](err); ok && refused.Verdict.Cause == fence.Superseded {
		return 0, nil // it has risen by itself since
	}
	return 1, err
}

func (object) Close() error { return nil }
