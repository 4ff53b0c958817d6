package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// MySQL is MySQL 8.0 or newer and MariaDB 10.6 or newer, by any driver that reports
// the server's error numbers as go-sql-driver does. The tables stand in the
// database that the address names, with names that begin with ringfence_.
var MySQL Dialect = &mysqlDialect{loadMySQL(), loadMariaDB()}

type mysqlDialect struct{ texts, maria map[string]string }

func (*mysqlDialect) String() string         { return "mysql" }
func (d *mysqlDialect) schema() string       { return d.texts["schema"] }
func (d *mysqlDialect) judge(e error) ruling { return judge(e, mysqlCode) }

// loadMySQL leaves out the comments above the statements, which are sent whole each
// time, but for the schema's.
func loadMySQL() map[string]string { return uncommented(load("mysql", "identity")) }

// loadMariaDB has statements of MariaDB's own beside and instead of those that MySQL
// knows as well. Their clock, and whether they are alone, is for them only.
func loadMariaDB() map[string]string {
	texts, own := loadMySQL(), uncommented(load("mariadb", ""))
	delete(own, "now")
	delete(own, "alone")
	maps.Copy(texts, own)
	return texts
}

func uncommented(texts map[string]string) map[string]string {
	for name, text := range texts {
		if name != "schema" {
			texts[name] = withoutComment(text)
		}
	}
	return texts
}

type mysql struct {
	db      *sql.DB
	dialect *mysqlDialect
	texts   map[string]string
	label   string
	// durable: what is committed outlives the server's process.
	durable bool
	pool    *pool
	// prepared are the statements that a session of MariaDB's keeps; unprepared, that the
	// server has refused to.
	prepared   map[string]preparation
	unprepared atomic.Bool
}

// statement has its arguments written into the text; see bind.
func (m *mysql) statement(name string, args ...any) (string, []any) {
	return bind(m.texts[name], args...), nil
}

func (m *mysql) workers() int { return m.pool.workers() }
func (m *mysql) mixed() bool  { return false }
func (m *mysql) close()       {}

func (m *mysql) properties() driver.Properties {
	return driver.Properties{
		Store: m.label, Clock: "the MySQL or MariaDB server",
		Resolution: time.Millisecond, MinTTL: 10 * time.Millisecond, Durable: m.durable,
	}
}

func (m *mysql) connect(ctx context.Context) (session, error) {
	c, err := m.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &mysqlSession{mysql: m, conn: c}, nil
}

// borrow makes the session commit by itself, as each statement of an operator's is
// a transaction of its own.
func (m *mysql) borrow(ctx context.Context) (*sql.Conn, func(error), error) {
	c, err := m.db.Conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	s := &mysqlSession{mysql: m, conn: c}
	if _, err := s.beAlone(ctx); err != nil {
		s.release(err)
		return nil, nil, err
	}
	return c, s.release, nil
}

func (m *mysql) identity(ctx context.Context, c *sql.Conn) (driver.Identity, error) {
	return scanIdentity(c.QueryRowContext(ctx, m.texts["store"]))
}

// raise reads the floor in the transaction that has raised it, so that an answer
// which is lost leaves no doubt about another one's.
func (m *mysql) raise(ctx context.Context, c *sql.Conn, above fence.Token) (fence.Token, error) {
	var floor fence.Token
	err := inTransaction(ctx, c, func() error {
		if _, err := c.ExecContext(ctx, bind(m.texts["raise"], int64(above))); err != nil {
			return err
		}
		raised := false
		err := c.QueryRowContext(ctx, bind(m.texts["raised"], int64(above))).Scan(&floor, &raised)
		if err == nil && !raised || errors.Is(err, sql.ErrNoRows) {
			return errExhausted
		}
		return err
	})
	return floor, err
}

// settle has nothing to wait for: what raises the floor has waited for the grants
// under way, each of which keeps the store's record from being changed.
func (m *mysql) settle(context.Context, *sql.Conn) error { return nil }

// remove reads no more than is committed, so that it locks the records that go and
// not the places where others may come.
func (m *mysql) remove(ctx context.Context, c *sql.Conn, idle int64, limit int, floor int64) (n int64, err error) {
	if _, err := c.ExecContext(ctx, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED"); err != nil {
		return 0, before(MySQL.judge(err))
	}
	return affected(c.ExecContext(ctx, bind(m.texts["prune_delete"], idle, limit, floor)))
}

func (m *mysql) end(ctx context.Context, c *sql.Conn, name, by string) (was driver.Record, err error) {
	err = inTransaction(ctx, c, func() error {
		locked, err := records(ctx, c, bind(m.texts["lock"], name))
		if err != nil {
			return err
		}
		if len(locked) == 0 { // there is none, or somebody else has it
			was, err = inspect(ctx, m, c, name)
			if err == nil && was.State == driver.Held {
				err = errLocked
			}
			return err
		}
		if was = locked[0]; was.State == driver.Held {
			_, err = c.ExecContext(ctx, bind(m.texts["break"], name, by, batchNumber()))
		}
		return err
	})
	return was, err
}

// inTransaction calls f in a transaction and commits it. What fails before the
// commit was not done; where that leaves a doubt about the connection only, it is
// worth another try. It sends the commit itself, since that of the driver is deaf to
// the end of ctx.
func inTransaction(ctx context.Context, c *sql.Conn, f func() error) error {
	_, err := c.ExecContext(ctx, "START TRANSACTION")
	if err == nil {
		err = f()
	}
	if err == nil {
		if _, err = c.ExecContext(ctx, "COMMIT"); err == nil {
			return nil
		}
		rollBack(ctx, c)
		return err
	}
	rollBack(ctx, c)
	r := MySQL.judge(err)
	r.again = r.again || r.kind == driver.ErrUnknown
	return before(r)
}

// rollBack ends what is open on c, or closes c.
func rollBack(ctx context.Context, c *sql.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if _, err := c.ExecContext(ctx, "ROLLBACK"); err != nil {
		discard(c)
	}
}

// statements parts a text of several.
func statements(text string) []string {
	return strings.Split(strings.TrimSuffix(strings.TrimSpace(text), ";"), ";\n")
}
