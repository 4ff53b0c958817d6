package sqlstore

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"os"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// SQLite is SQLite 3.42 or newer, by any driver that takes ?1. It needs the
// right to create files beside the database's own.
var SQLite Dialect = &sqliteDialect{load("sqlite", "")}

type sqliteDialect struct{ texts map[string]string }

func (*sqliteDialect) String() string         { return "sqlite" }
func (d *sqliteDialect) schema() string       { return d.texts["schema"] }
func (d *sqliteDialect) judge(e error) ruling { return judge(e, sqliteCode) }

type sqlite struct {
	db     *sql.DB
	texts  map[string]string
	path   string      // of the file; empty for a database in memory
	opened os.FileInfo // the file at Open; nil where it can't be compared

	// kept is the one writer's session between two batches. Only the one worker
	// uses it, and close when that is gone.
	kept *sqliteSession

	mu    sync.Mutex
	known string // the identity that this client expects
}

func (l *sqlite) statement(name string, args ...any) (string, []any) { return l.texts[name], args }
func (l *sqlite) workers() int                                       { return 1 }
func (l *sqlite) mixed() bool                                        { return true }

func (l *sqlite) properties() driver.Properties {
	p := driver.Properties{
		Store: "sqlite " + l.path, Clock: "the machine that executes SQLite",
		Resolution: time.Millisecond, MinTTL: 10 * time.Millisecond, Durable: true,
	}
	if l.path == "" {
		p.Store, p.Durable = "sqlite in memory", false
	}
	return p
}

// checkFile refuses when the path leads to another file than the one that the
// connections have open: what is written there reaches nobody else.
func (l *sqlite) checkFile() error {
	if l.opened == nil {
		return nil
	}
	now, err := os.Stat(l.path)
	if err == nil && os.SameFile(now, l.opened) {
		return nil
	}
	return refuse("restart the program, so that it opens the file that is there now",
		"the database file was moved, removed or replaced while it was open")
}

// connect hands out the one writer's session. It is kept for the next batch,
// with its prepared statements, unless the pool has no other connection.
func (l *sqlite) connect(ctx context.Context) (session, error) {
	if err := l.checkFile(); err != nil {
		return nil, err
	}
	if s := l.kept; s != nil {
		l.kept = nil
		return s, nil
	}
	return l.open(ctx)
}

func (l *sqlite) open(ctx context.Context) (*sqliteSession, error) {
	c, err := l.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	s := &sqliteSession{sqlite: l, conn: c, prepared: map[string]sqldriver.Stmt{}}
	if err := s.begin(ctx); err != nil {
		s.end(err)
		return nil, err
	}
	return s, nil
}

func (l *sqlite) borrow(ctx context.Context) (*sql.Conn, func(error), error) {
	if err := l.checkFile(); err != nil {
		return nil, nil, err
	}
	s, err := l.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	return s.conn, s.end, nil
}

func (l *sqlite) close() {
	if l.kept != nil {
		l.kept.end(nil)
		l.kept = nil
	}
}

func (l *sqlite) expected() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known
}

func (l *sqlite) expect(identity string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known = identity
}

func (l *sqlite) identity(ctx context.Context, c *sql.Conn) (driver.Identity, error) {
	return scanIdentity(c.QueryRowContext(ctx, l.texts["store"]))
}

func (l *sqlite) raise(ctx context.Context, c *sql.Conn, above fence.Token) (fence.Token, error) {
	var floor fence.Token
	var identity string
	rows, err := c.QueryContext(ctx, l.texts["raise"], int64(above), l.expected())
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() { // to the end, where SQLite commits
		if err := rows.Scan(&floor, &identity); err != nil {
			return 0, err
		}
	}
	if err := rows.Err(); err != nil {
		return 0, err
	}
	if identity == "" {
		return 0, errExhausted
	}
	l.expect(identity)
	return floor, nil
}

func (l *sqlite) remove(ctx context.Context, c *sql.Conn, idle int64, limit int, floor int64) (int64, error) {
	return affected(c.ExecContext(ctx, l.texts["prune_delete"], idle, limit, floor))
}

// settle has nothing to wait for: SQLite has one writer at a time.
func (l *sqlite) settle(context.Context, *sql.Conn) error { return nil }

func (l *sqlite) end(ctx context.Context, c *sql.Conn, name, by string) (was driver.Record, err error) {
	err = exclusively(ctx, c, func() error {
		if was, err = inspect(ctx, l, c, name); err != nil || was.State != driver.Held {
			return err
		}
		_, err = c.ExecContext(ctx, l.texts["break"], name, by)
		return err
	})
	return was, err
}

// exclusively calls f in a transaction that has the write lock from its start.
// An error that does not say again leaves c to be closed.
func exclusively(ctx context.Context, c *sql.Conn, f func() error) error {
	if _, err := c.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := f()
	if err == nil {
		_, err = c.ExecContext(ctx, "COMMIT")
	}
	if err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if _, failed := c.ExecContext(ctx, "ROLLBACK"); failed != nil {
		r := SQLite.judge(err) // SQLite has mostly rolled back by itself; or else closing does
		r.again = false
		return r
	}
	return err
}

// discard closes the connection below c for good.
func discard(c *sql.Conn) {
	_ = c.Raw(func(any) error { return sqldriver.ErrBadConn })
}
