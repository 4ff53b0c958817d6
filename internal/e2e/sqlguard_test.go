package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/guardtest"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// guarded is a real database that the tests of package sqlguard write to.
type guarded struct {
	*sql.DB
	dialect sqlguard.Dialect
}

// eachDatabase runs f on a new SQLite file, and on a new PostgreSQL and a new MySQL
// database.
func eachDatabase(t *testing.T, f func(t *testing.T, db guarded)) {
	t.Run("sqlite", func(t *testing.T) { t.Parallel(); f(t, guardedSQLite(t)) })
	t.Run("postgres", func(t *testing.T) { t.Parallel(); f(t, guardedPostgres(t)) })
	t.Run("mysql", func(t *testing.T) { t.Parallel(); f(t, guardedMySQL(t)) })
}

func guardedSQLite(t *testing.T) guarded {
	return openGuarded(t, sqlguard.SQLite, "sqlite", sqliteURL(t)+"&_pragma=busy_timeout(20000)")
}

func sqliteURL(t *testing.T) string {
	return "file:" + filepath.Join(t.TempDir(), "guarded.db") + "?_pragma=journal_mode(wal)&_pragma=synchronous(off)"
}

func guardedPostgres(t *testing.T) guarded {
	return openGuarded(t, sqlguard.Postgres, "pgx", realserver.SharedPostgres(t))
}

// guardedMySQL takes double quotes for names, as the others do.
func guardedMySQL(t *testing.T) guarded {
	return openGuarded(t, sqlguard.MySQL, "mysql", realserver.SharedMariaDB(t)+"?"+quotesNames)
}

const quotesNames = "sql_mode='ANSI_QUOTES,STRICT_TRANS_TABLES'&default_storage_engine=InnoDB"

func openGuarded(t *testing.T, d sqlguard.Dialect, driver, url string) guarded {
	t.Helper()
	db, err := sql.Open(driver, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(8)
	if err := sqlguard.Setup(t.Context(), db, d); err != nil {
		t.Fatal(err)
	}
	g := guarded{db, d}
	g.exec(t, `CREATE TABLE report (day bigint PRIMARY KEY, body text NOT NULL CHECK (body <> 'unwritable'), fence bigint)`)
	return g
}

func (g guarded) exec(t *testing.T, query string, args ...any) {
	t.Helper()
	if _, err := g.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// sql is query with $1, $2, ... as the dialect writes them.
func (g guarded) sql(query string) string {
	switch g.dialect {
	case sqlguard.SQLite:
		return strings.ReplaceAll(query, "$", "?")
	case sqlguard.MySQL:
		return parameters.ReplaceAllString(query, "?")
	}
	return query
}

var parameters = regexp.MustCompile(`\$\d`)

var lastDay atomic.Int64

// newDay inserts a row with that fence, which may be nil, and returns its id.
func (g guarded) newDay(ctx context.Context, token any) (int64, error) {
	day := lastDay.Add(1)
	_, err := g.ExecContext(ctx, g.sql("INSERT INTO report (day, body, fence) VALUES ($1, '', $2)"), day, token)
	return day, err
}

func (g guarded) body(ctx context.Context, day int64) (body string, err error) {
	err = g.QueryRowContext(ctx, g.sql("SELECT body FROM report WHERE day = $1"), day).Scan(&body)
	return body, err
}

func (g guarded) holds(t *testing.T, day int64, want string) {
	t.Helper()
	if got, err := g.body(t.Context(), day); err != nil || got != want {
		t.Errorf("the row holds %q (error %v); want %q", got, err, want)
	}
}

// marked is a row under a mark beside the data.
type marked struct {
	guarded
	guard *sqlguard.Guard
	day   int64
}

func (g guarded) newMarked(ctx context.Context, r guard.Rule, o *sqlguard.Options) (marked, error) {
	day, err := g.newDay(ctx, nil)
	if err != nil {
		return marked{}, err
	}
	own, err := sqlguard.New(g.dialect, fmt.Sprintf("report/%d", day), r, o)
	return marked{g, own, day}, err
}

func (m marked) Now(ctx context.Context) (time.Time, error) {
	return sqlguard.Now(ctx, m.DB, m.dialect)
}

func (m marked) Establish(ctx context.Context, f fence.Fence) (fence.Verdict, error) {
	return m.guard.Establish(ctx, m.DB, f)
}

func (m marked) Write(ctx context.Context, w guard.Write, value string) (fence.Verdict, error) {
	return m.guard.InTx(ctx, m.DB, w, func(tx *sql.Tx) error { return m.put(ctx, tx, m.day, value) })
}

func (m marked) Read(ctx context.Context) (string, error) { return m.body(ctx, m.day) }

func (g guarded) put(ctx context.Context, q sqlguard.Runner, day int64, value string) error {
	_, err := q.ExecContext(ctx, g.sql("UPDATE report SET body = $1 WHERE day = $2"), value, day)
	return err
}

func TestSQLGuardMark(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db guarded) {
		for _, rule := range []guard.Rule{guard.Once, guard.Sequenced, guard.Latest} {
			t.Run(rule.String(), func(t *testing.T) {
				guardtest.Run(t, guardtest.Target{
					Rule: rule, Establishes: true, Keys: true, Unwritable: "unwritable",
					Open: func(ctx context.Context, lease string) (guardtest.Resource, error) {
						return db.newMarked(ctx, rule, &sqlguard.Options{Lease: lease})
					},
					Aging: func(ctx context.Context, lease string, maxAge time.Duration) (guardtest.Aging, error) {
						return db.newMarked(ctx, rule, &sqlguard.Options{Lease: lease, MaxAge: maxAge})
					},
				})
			})
		}
	})
}

// columned is a row with a fence column.
type columned struct {
	guarded
	column sqlguard.Column
	day    int64
}

func (c columned) Establish(ctx context.Context, f fence.Fence) (fence.Verdict, error) {
	return c.column.Establish(ctx, c.DB, f, c.day)
}

func (c columned) Write(ctx context.Context, w guard.Write, value string) (fence.Verdict, error) {
	return c.column.UpdateAsOf(ctx, c.DB, w.Fence, w.AsOf, c.day, c.sql("body = $1"), value)
}

func (c columned) Now(ctx context.Context) (time.Time, error) {
	return sqlguard.Now(ctx, c.DB, c.dialect)
}

func (c columned) Read(ctx context.Context) (string, error) { return c.body(ctx, c.day) }

func (g guarded) column(lease string, r guard.Rule) sqlguard.Column {
	return sqlguard.Column{Dialect: g.dialect, Table: "report", ID: "day", Fence: "fence", Lease: lease, Rule: r}
}

func TestSQLGuardColumn(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, db guarded) {
		for rule, fresh := range map[guard.Rule]any{guard.Once: 0, guard.Latest: nil} {
			t.Run(rule.String(), func(t *testing.T) {
				guardtest.Run(t, guardtest.Target{
					Rule: rule, Establishes: rule == guard.Latest, Unwritable: "unwritable",
					Open: func(ctx context.Context, lease string) (guardtest.Resource, error) {
						day, err := db.newDay(ctx, fresh)
						return columned{db, db.column(lease, rule), day}, err
					},
					Aging: func(ctx context.Context, lease string, maxAge time.Duration) (guardtest.Aging, error) {
						day, err := db.newDay(ctx, fresh)
						column := db.column(lease, rule)
						column.MaxAge = maxAge
						return columned{db, column, day}, err
					},
				})
			})
		}
	})
}
