package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// Example is the first minute with Go, as the README tells it.
func Example() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	dsn := "file:" + filepath.Join(dir, "jobs.db") + "?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_txlock=immediate"

	if err := rollUp(context.Background(), dsn); err != nil {
		log.Fatal(err)
	}
	// Output: rolled up with a token that rises: true
}

func rollUp(ctx context.Context, dsn string) error {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, "CREATE TABLE rollup (day text PRIMARY KEY, total integer)"); err != nil {
		return err
	}

	store, err := sqlstore.Open(ctx, db, sqlstore.SQLite, nil) // or sqlstore.Postgres
	if err != nil {
		return err
	}
	defer store.Close()
	locker, err := ringfence.New(store, nil)
	if err != nil {
		return err
	}
	if err := sqlguard.Setup(ctx, db, sqlguard.SQLite); err != nil { // once for each database that is written to
		return err
	}
	reports := sqlguard.On(db, sqlguard.SQLite)

	err = locker.Run(ctx, "nightly-rollup", ringfence.Work{
		Timeout:     5 * time.Minute, // enforced on the work; the lease is derived from it
		Unavailable: ringfence.Fail,  // what to do when the store is down: there is no default
	}, func(ctx context.Context, lease *ringfence.Lease) error {
		return sqlguard.InTx(ctx, reports, lease.Fence(), "rollups/2026-11-29", func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO rollup VALUES ('2026-11-29', 42) ON CONFLICT DO NOTHING")
			fmt.Println("rolled up with a token that rises:", lease.Fence().Token.Valid())
			return err
		})
	})
	return err
}
