package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/ringfence-go/ringfence/fence"
)

func (d *mysqlDialect) open(ctx context.Context, db *sql.DB, o Options) (backend, error) {
	m := &mysql{db: db, dialect: d, texts: d.texts, pool: newPool(db, o)}
	return persist(ctx, d, maxLost, func() (backend, error) {
		c, giveBack, err := m.borrow(ctx)
		if err != nil {
			r := before(d.judge(err))
			r.again = false // a server that is down may stay so: whoever opens the store decides
			return nil, r
		}
		if err = m.checkServer(ctx, c); err == nil {
			err = m.checkTables(ctx, c, o.NoSetup)
		}
		giveBack(err)
		return m, err
	})
}

// checkServer refuses a server that can't host leases, and learns its name.
func (m *mysql) checkServer(ctx context.Context, c *sql.Conn) error {
	s, err := readMySQL(ctx, c, m.texts)
	if err != nil {
		return err
	}
	m.label, m.durable = s.label(), s.flush != 0
	if s.maria() {
		m.texts = m.dialect.maria
		m.prepared = preparations(s.database, m.texts)
	}
	switch {
	case s.database == "":
		return refuse("name a database in the address", "no database is selected")
	case !s.recent():
		return refuse("use MySQL 8.0 or newer, or MariaDB 10.6 or newer", "the server's version is "+s.version+", which can't skip a locked row")
	case s.readOnly: // which some users would not notice
		return unavailable(primary).because(errors.New("the server is read-only"))
	case s.statements:
		return refuse("set binlog_format to ROW or MIXED", "binlog_format is STATEMENT, with which a replica gets other tokens and times")
	case s.safe:
		return refuse("set sql_safe_updates = 0 for the store's user", "sql_safe_updates is on, which forbids statements that the store needs")
	case s.frozen:
		return refuse("set timestamp = DEFAULT in the address or the program", "the session has a clock of its own, by SET timestamp")
	}
	return nil
}

// mysqlServer is what the statement server shows.
type mysqlServer struct {
	version, database, host string
	port, flush             int
	statements              bool // what changes is logged as statements
	frozen                  bool // the session's clock is not the server's
	safe                    bool // what changes has to name keys
	readOnly                bool // but for some users
}

func readMySQL(ctx context.Context, c *sql.Conn, texts map[string]string) (s mysqlServer, err error) {
	err = c.QueryRowContext(ctx, texts["server"]).
		Scan(&s.version, &s.database, &s.host, &s.port, &s.statements, &s.frozen, &s.safe, &s.readOnly, &s.flush)
	var began [2]string
	for i := range began {
		if err == nil {
			err = c.QueryRowContext(ctx, texts["began"]).Scan(&began[i])
		}
	}
	s.frozen = s.frozen || began[0] == began[1] // which alone shows where SYSDATE is an alias of NOW
	return s, err
}

// label names the database for people.
func (s mysqlServer) label() string {
	kind := "mysql"
	if s.maria() {
		kind = "mariadb"
	}
	return kind + " " + fence.Quote(s.database) + " at " + net.JoinHostPort(s.host, strconv.Itoa(s.port))
}

func (s mysqlServer) maria() bool { return strings.Contains(s.version, "MariaDB") }

// recent reports whether the server knows SKIP LOCKED. A proxy may put a number of
// its own and a dash before the version.
func (s mysqlServer) recent() bool {
	version := s.version
	if s.maria() {
		version = strings.TrimPrefix(version, "5.5.5-")
	}
	var major, minor int
	if _, err := fmt.Sscanf(version, "%d.%d", &major, &minor); err != nil {
		return false
	}
	if s.maria() {
		return major > 10 || major == 10 && minor >= 6
	}
	return major >= 8
}

// checkTables creates the tables where they are missing, and refuses those of
// another version, another product or another engine, and a user without rights.
func (m *mysql) checkTables(ctx context.Context, c *sql.Conn, noSetup bool) error {
	lease, store, line, engine, err := m.tables(ctx, c)
	if err == nil && !(lease && store && line) {
		engine, err = "", m.create(ctx, c, noSetup)
	}
	if err != nil {
		return err
	}
	if engine != "" {
		return errEngine(engine)
	}
	var missing string
	if err := c.QueryRowContext(ctx, m.texts["columns"]).Scan(&missing); err != nil {
		return err
	}
	if missing != "" {
		return errForeign(missing)
	}
	for _, statement := range statements(m.texts["rights"]) {
		if _, err := c.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return checkVersion(ctx, c, m.texts["version"])
}

// create makes the tables; of several clients one does it, and the others wait.
func (m *mysql) create(ctx context.Context, c *sql.Conn, noSetup bool) error {
	var locked bool
	if err := c.QueryRowContext(ctx, m.texts["setup_lock"]).Scan(&locked); err != nil {
		return err
	}
	if !locked {
		return retry("").because(errors.New("another client is creating the tables"))
	}
	defer c.ExecContext(context.WithoutCancel(ctx), m.texts["setup_unlock"])
	lease, store, line, _, err := m.tables(ctx, c)
	switch {
	case err != nil || lease && store && line:
		return err
	case lease != store:
		return errHalf("ringfence_lease", "ringfence_store")
	case noSetup:
		return errNoTables
	}
	for _, statement := range statements(m.texts["schema"]) {
		if _, err := c.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// tables reads which tables are there, and which are in an engine without transactions.
func (m *mysql) tables(ctx context.Context, c *sql.Conn) (lease, store, line bool, engine string, err error) {
	err = c.QueryRowContext(ctx, m.texts["tables"]).Scan(&lease, &store, &line, &engine)
	return lease, store, line, engine, err
}

func errEngine(engine string) error {
	return refuse("ALTER TABLE ... ENGINE = InnoDB, or drop the tables: no number comes back, because the clock lends the floor",
		"not in InnoDB: "+engine)
}
