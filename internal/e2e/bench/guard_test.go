package bench

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// BenchmarkGuard compares a guarded write with the same write without a guard:
// the fence column with the plain UPDATE, the mark with the plain transaction.
func BenchmarkGuard(b *testing.B) {
	b.Run("postgres", func(b *testing.B) {
		pg := realserver.NewPostgres(b, &realserver.PostgresOptions{Durable: true})
		compareGuards(b, open(b, "pgx", pg.URL("postgres"), 8), sqlguard.Postgres)
	})
	b.Run("sqlite", func(b *testing.B) {
		file := "file:" + filepath.Join(b.TempDir(), "guard.db") +
			"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(10000)&_txlock=immediate"
		compareGuards(b, open(b, "sqlite", file, 1), sqlguard.SQLite)
	})
}

func compareGuards(b *testing.B, db *sql.DB, d sqlguard.Dialect) {
	prepareReports(b, db, d)
	on := sqlguard.On(db, d)
	column := sqlguard.Column{Dialect: d, Table: "report", ID: "id", Fence: "fence", Lease: "bench", Rule: guard.Latest}
	f := fence.Fence{Name: "bench", Token: 1 << 40}
	const plain = "UPDATE report SET n = n + $1 WHERE id = $2"

	for _, callers := range callerCounts {
		b.Run(fmt.Sprint("column/", callers), func(b *testing.B) {
			compare(b, "guarded UPDATE by a fence column, "+d.String(), callers,
				func(ctx context.Context, caller int) error {
					_, err := column.Update(ctx, db, f, caller, "n = n + $1", 1)
					return err
				},
				func(ctx context.Context, caller int) error {
					_, err := db.ExecContext(ctx, plain, 1, caller)
					return err
				})
		})
		b.Run(fmt.Sprint("mark/", callers), func(b *testing.B) {
			compare(b, "transaction guarded by a mark, "+d.String(), callers,
				func(ctx context.Context, caller int) error {
					return sqlguard.InTx(ctx, on, f, fmt.Sprint("report/", caller), func(tx *sql.Tx) error {
						_, err := tx.ExecContext(ctx, plain, 1, caller)
						return err
					})
				},
				func(ctx context.Context, caller int) error { return inTx(ctx, db, plain, caller) })
		})
	}
}

// prepareReports makes one row for each caller.
func prepareReports(b *testing.B, db *sql.DB, d sqlguard.Dialect) {
	b.Helper()
	if err := sqlguard.Setup(b.Context(), db, d); err != nil {
		b.Fatal(err)
	}
	if _, err := db.ExecContext(b.Context(), "CREATE TABLE report (id integer PRIMARY KEY, n bigint NOT NULL DEFAULT 0, fence bigint NOT NULL DEFAULT 0)"); err != nil {
		b.Fatal(err)
	}
	for id := range callerCounts[len(callerCounts)-1] {
		if _, err := db.ExecContext(b.Context(), "INSERT INTO report (id) VALUES ($1)", id); err != nil {
			b.Fatal(err)
		}
	}
}

func inTx(ctx context.Context, db *sql.DB, statement string, caller int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, statement, 1, caller); err != nil {
		return err
	}
	return tx.Commit()
}
