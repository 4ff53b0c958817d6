package bench

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// BenchmarkLease compares acquire + release with the two bare statements.
func BenchmarkLease(b *testing.B) {
	b.Run("postgres", func(b *testing.B) {
		pg := realserver.NewPostgres(b, &realserver.PostgresOptions{Durable: true})
		db := open(b, "pgx", pg.URL("postgres"), 8)
		compareLease(b, db, db, sqlstore.Postgres, rawPostgres)
	})
	b.Run("sqlite", func(b *testing.B) {
		file := "file:" + filepath.Join(b.TempDir(), "lease.db") +
			"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(10000)"
		// The bare statements have one writer too, or else they fight over the lock.
		compareLease(b, open(b, "sqlite", file, 0), open(b, "sqlite", file, 1), sqlstore.SQLite, rawSQLite)
	})
}

// open opens a pool whose connections are kept; most of 0 means any number.
func open(b *testing.B, driverName, url string, most int) *sql.DB {
	b.Helper()
	db, err := sql.Open(driverName, url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(64)
	return db
}

// compareLease compares a store in db with the statements in bareDB.
func compareLease(b *testing.B, db, bareDB *sql.DB, d sqlstore.Dialect, statements raw) {
	store, err := sqlstore.Open(b.Context(), db, d, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = store.Close() })
	bare := statements.prepare(b, bareDB)
	for _, callers := range callerCounts {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			compare(b, "acquire + release, "+d.String(), callers, leaseOf(store), bare)
		})
	}
}

func leaseOf(s driver.Store) side {
	return func(ctx context.Context, caller int) error {
		t, err := s.Acquire(ctx, driver.Request{
			Name: fmt.Sprint("job-", caller), Attempt: rand.Text(), Holder: "bench", TTL: time.Minute,
		})
		if err != nil {
			return err
		}
		return s.Release(ctx, t)
	}
}

// raw is the least that could keep a lease: no attempt, no floor, no look at who
// answers, no reason for a refusal.
type raw struct{ table, acquire, release string }

var rawPostgres = raw{
	table: `CREATE TABLE bare (name text PRIMARY KEY, token bigint, holder text, expires_at timestamptz)`,
	acquire: `INSERT INTO bare (name, token, holder, expires_at)
		VALUES ($1, 1, $2, clock_timestamp() + interval '1 minute')
		ON CONFLICT (name) DO UPDATE SET token = bare.token + 1, holder = excluded.holder, expires_at = excluded.expires_at
		WHERE bare.expires_at <= clock_timestamp() RETURNING token`,
	release: `UPDATE bare SET expires_at = clock_timestamp() WHERE name = $1 AND token = $2`,
}

var rawSQLite = raw{
	table: `CREATE TABLE bare (name TEXT PRIMARY KEY, token INTEGER, holder TEXT, expires_at INTEGER)`,
	acquire: `INSERT INTO bare (name, token, holder, expires_at)
		VALUES (?1, 1, ?2, CAST(unixepoch('subsec') * 1000 AS INTEGER) + 60000)
		ON CONFLICT (name) DO UPDATE SET token = token + 1, holder = excluded.holder, expires_at = excluded.expires_at
		WHERE expires_at <= CAST(unixepoch('subsec') * 1000 AS INTEGER) RETURNING token`,
	release: `UPDATE bare SET expires_at = CAST(unixepoch('subsec') * 1000 AS INTEGER) WHERE name = ?1 AND token = ?2`,
}

func (r raw) prepare(b *testing.B, db *sql.DB) side {
	b.Helper()
	if _, err := db.ExecContext(b.Context(), r.table); err != nil {
		b.Fatal(err)
	}
	var statements [2]*sql.Stmt
	for i, text := range []string{r.acquire, r.release} {
		s, err := db.PrepareContext(b.Context(), text)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = s.Close() })
		statements[i] = s
	}
	return func(ctx context.Context, caller int) error {
		name := fmt.Sprint("job-", caller)
		var token int64
		if err := statements[0].QueryRowContext(ctx, name, "bench").Scan(&token); err != nil {
			return err
		}
		result, err := statements[1].ExecContext(ctx, name, token)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n != 1 {
			return fmt.Errorf("released %d rows: %w", n, err)
		}
		return nil
	}
}
