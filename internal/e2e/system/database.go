package system

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// Database says where leases and data live. It is plain data, so that a child
// process can be told.
type Database struct {
	Postgres bool // otherwise SQLite
	URL      string
}

// SQLite is a new file that goes with the test.
func SQLite(t testing.TB) Database {
	t.Helper()
	return SQLiteFile(filepath.Join(t.TempDir(), "system.db"))
}

// SQLiteFile is the database in the file at path.
func SQLiteFile(path string) Database {
	return Database{URL: "file:" + path + "?_pragma=journal_mode(wal)&_pragma=busy_timeout(20000)"}
}

// Postgres is a new database of the server that all tests of the binary share.
func Postgres(t testing.TB) Database {
	t.Helper()
	return Database{Postgres: true, URL: realserver.SharedPostgres(t)}
}

// Each runs f as a parallel subtest on a new SQLite file and on a new PostgreSQL
// database.
func Each(t *testing.T, f func(t *testing.T, d Database)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { t.Parallel(); f(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { t.Parallel(); f(t, Postgres(t)) })
}

func (d Database) String() string {
	if d.Postgres {
		return "postgres"
	}
	return "sqlite"
}

// At is the same PostgreSQL database behind another host and port, such as a proxy's.
func (d Database) At(hostport string) Database {
	u, err := url.Parse(d.URL)
	if err != nil {
		panic(err) // realserver made it
	}
	u.Host = hostport
	d.URL = u.String()
	return d
}

// Upstream is the host and port of a PostgreSQL database.
func (d Database) Upstream() string {
	u, err := url.Parse(d.URL)
	if err != nil {
		panic(err)
	}
	return u.Host
}

// SQL is query with $1, $2, ... as the database takes them.
func (d Database) SQL(query string) string {
	if d.Postgres {
		return query
	}
	return strings.ReplaceAll(query, "$", "?")
}

// Pick is postgres or sqlite, as the database is.
func Pick[T any](d Database, postgres, sqlite T) T {
	if d.Postgres {
		return postgres
	}
	return sqlite
}

// LeaseTable is the name of the store's table.
func (d Database) LeaseTable() string { return Pick(d, "ringfence.lease", "ringfence_lease") }

// Dialect is what the store calls the database.
func (d Database) Dialect() sqlstore.Dialect { return Pick(d, sqlstore.Postgres, sqlstore.SQLite) }

// GuardDialect is what the guard calls the database.
func (d Database) GuardDialect() sqlguard.Dialect { return Pick(d, sqlguard.Postgres, sqlguard.SQLite) }

func (d Database) open() (*sql.DB, error) { return sql.Open(Pick(d, "pgx", "sqlite"), d.URL) }

// Open returns a pool of connections that is closed with the test.
func (d Database) Open(t testing.TB) *sql.DB {
	t.Helper()
	db, err := d.open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// Store opens the lease store, on a pool of its own.
func (d Database) Store(t testing.TB) *sqlstore.Store {
	t.Helper()
	return d.StoreOn(t, d.Open(t))
}

// StoreOn opens the lease store on db.
func (d Database) StoreOn(t testing.TB, db *sql.DB) *sqlstore.Store {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), db, d.Dialect(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// Exec runs statements on a connection of their own.
func (d Database) Exec(t testing.TB, statements ...string) {
	t.Helper()
	db, err := d.open()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// Report is a table of texts, one row a name, whose writes can be guarded in
// both shapes and in none.
type Report struct {
	DB *sql.DB
	Database
}

// NewReport creates the table of reports and the guard's own tables.
func (d Database) NewReport(t testing.TB) Report {
	t.Helper()
	db := d.Open(t)
	if err := sqlguard.Setup(t.Context(), db, d.GuardDialect()); err != nil {
		t.Fatal(err)
	}
	d.Exec(t, `CREATE TABLE report (name text PRIMARY KEY, body text NOT NULL, fence bigint NOT NULL DEFAULT 0)`)
	return Report{db, d}
}

// Add makes the empty report of a name.
func (r Report) Add(t testing.TB, name string) {
	t.Helper()
	if _, err := r.DB.ExecContext(t.Context(), r.SQL(`INSERT INTO report (name, body) VALUES ($1, '')`), name); err != nil {
		t.Fatal(err)
	}
}

// Body reads a report.
func (r Report) Body(ctx context.Context, name string) (body string, err error) {
	err = r.DB.QueryRowContext(ctx, r.SQL(`SELECT body FROM report WHERE name = $1`), name).Scan(&body)
	if err != nil {
		err = fmt.Errorf("read the report %s: %w", name, err)
	}
	return body, err
}

// Put writes a report, through whatever q is.
func (r Report) Put(ctx context.Context, q sqlguard.Runner, name, body string) error {
	_, err := q.ExecContext(ctx, r.SQL(`UPDATE report SET body = $1 WHERE name = $2`), body, name)
	return err
}

// Column guards the row of the report by its own fence column.
func (r Report) Column(lease string) sqlguard.Column {
	return sqlguard.Column{
		Dialect: r.GuardDialect(), Table: "report", ID: "name", Fence: "fence", Lease: lease, Rule: guard.Latest,
	}
}
