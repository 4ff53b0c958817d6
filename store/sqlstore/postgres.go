package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/internal/pause"
)

// Postgres is PostgreSQL, by any driver that takes $1 and reports an SQLSTATE.
// The tables stand in a schema of their own, so that clients with different
// search paths meet in them.
var Postgres Dialect = &postgresDialect{
	texts: load("postgres", "identity"),
	weak:  load("postgres", "identity_weak"),
}

type postgresDialect struct{ texts, weak map[string]string }

func (*postgresDialect) String() string         { return "postgres" }
func (d *postgresDialect) schema() string       { return d.texts["schema"] }
func (d *postgresDialect) judge(e error) ruling { return judge(e, sqlState) }

type postgres struct {
	db    *sql.DB
	texts map[string]string
	label string

	pool   *pool
	crowds *crowds
	server atomic.Pointer[incarnation] // the last one that was verified

	mu                   sync.Mutex
	calls, replan, plans int
}

func (p *postgres) statement(name string, args ...any) (string, []any) { return p.texts[name], args }
func (p *postgres) mixed() bool                                        { return false }
func (p *postgres) close()                                             {}

func (p *postgres) workers() int { return p.pool.workers() }

func (p *postgres) properties() driver.Properties {
	return driver.Properties{
		Store: p.label, Clock: "the PostgreSQL server",
		Resolution: time.Millisecond, MinTTL: 10 * time.Millisecond, Durable: true,
	}
}

func (p *postgres) borrow(ctx context.Context) (*sql.Conn, func(error), error) {
	c, err := p.db.Conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	return c, func(error) { _ = c.Close() }, nil
}

// incarnation is a server from one start of its postmaster to the next.
type incarnation struct{ identity, started string }

// verify reads which server answers, for the statements to know it again.
func (p *postgres) verify(ctx context.Context, c *sql.Conn) (incarnation, error) {
	var now incarnation
	err := c.QueryRowContext(ctx, p.texts["verify"]).Scan(&now.identity, &now.started)
	if err == nil {
		p.server.Store(&now)
	}
	return now, err
}

func (p *postgres) connect(ctx context.Context) (session, error) {
	c, err := p.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &postgresSession{p, c}, nil
}

// plan is a comment that makes a driver which caches statements prepare them anew
// as the table grows, at the latest every 16,384 calls. PostgreSQL keeps the plan
// of a prepared statement until it analyzes the table, which may be a minute
// after the table has outgrown a plan that reads all of it.
func (p *postgres) plan(calls int) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls += calls; p.calls >= p.replan {
		p.replan = p.calls + min(max(p.calls, 1024), 16384)
		p.plans++
	}
	return "-- plan " + strconv.Itoa(p.plans)
}

func (p *postgres) identity(ctx context.Context, c *sql.Conn) (driver.Identity, error) {
	return scanIdentity(c.QueryRowContext(ctx, p.texts["store"]))
}

func (p *postgres) raise(ctx context.Context, c *sql.Conn, above fence.Token) (floor fence.Token, err error) {
	err = c.QueryRowContext(ctx, p.texts["raise"], int64(above)).Scan(&floor)
	if errors.Is(err, sql.ErrNoRows) {
		err = errExhausted
	}
	return floor, err
}

// settle waits for the transactions that were writing leases when it began. Each
// takes its lock on the table before its view of the floor, so that one which is
// not listed sees the floor that was committed before; and none waits for a row.
func (p *postgres) settle(ctx context.Context, c *sql.Conn) error {
	old, err := p.writers(ctx, c)
	for wait := (pause.Pause{}); err == nil && len(old) > 0; {
		if err := wait.Wait(ctx, nil); err != nil {
			return err
		}
		var now []string
		now, err = p.writers(ctx, c)
		old = slices.DeleteFunc(old, func(w string) bool { return !slices.Contains(now, w) })
	}
	return err
}

func (p *postgres) remove(ctx context.Context, c *sql.Conn, idle int64, limit int, floor int64) (int64, error) {
	return affected(c.ExecContext(ctx, p.texts["prune_delete"], idle, limit, floor))
}

func (p *postgres) writers(ctx context.Context, c *sql.Conn) ([]string, error) {
	rows, err := c.QueryContext(ctx, p.texts["writers"])
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var w string
		if err := rows.Scan(&w); err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, rows.Err()
}

func (p *postgres) end(ctx context.Context, c *sql.Conn, name, by string) (driver.Record, error) {
	was, err := records(ctx, c, p.texts["break"], name, by)
	if err != nil {
		return driver.Record{}, err
	}
	if len(was) == 1 {
		return was[0], nil
	}
	rec, err := inspect(ctx, p, c, name)
	if err == nil && rec.State != driver.Free {
		err = errLocked
	}
	return rec, err
}

// labelPostgres names a database for people.
func labelPostgres(database, host string, port int) string {
	label := "postgres " + fence.Quote(database)
	if host != "" {
		label += " at " + net.JoinHostPort(host, strconv.Itoa(port))
	}
	return label
}
