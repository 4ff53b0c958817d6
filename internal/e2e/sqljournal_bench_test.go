package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/journal"
	"github.com/ringfence-go/ringfence/journal/sqljournal"
	"github.com/ringfence-go/ringfence/journal/witness"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// BenchmarkJournal measures what a record in the same database costs an acquire and a
// release. Rounds with and without it take turns; "cost" is by how much the fastest
// round with it took longer than the fastest without, so that what else the machine
// does counts for little. Each database waits for its disk.
func BenchmarkJournal(b *testing.B) {
	for _, kind := range []struct {
		name    string
		store   sqlstore.Dialect
		journal sqljournal.Dialect
		driver  string
		url     func() string
	}{
		{"sqlite", sqlstore.SQLite, sqljournal.SQLite, "sqlite", func() string {
			return "file:" + filepath.Join(b.TempDir(), "leases.db") + "?_pragma=busy_timeout(20000)&_pragma=journal_mode(wal)&_pragma=synchronous(full)"
		}},
		{"postgres", sqlstore.Postgres, sqljournal.Postgres, "pgx", func() string {
			return realserver.NewPostgres(b, &realserver.PostgresOptions{Durable: true}).URL("postgres")
		}},
		{"mysql", sqlstore.MySQL, sqljournal.MySQL, "mysql", func() string { return realserver.SharedMariaDB(b) }},
	} {
		for _, callers := range []int{1, 8} {
			b.Run(fmt.Sprintf("%s/%d", kind.name, callers), func(b *testing.B) {
				db, err := sql.Open(kind.driver, kind.url())
				if err != nil {
					b.Fatal(err)
				}
				defer db.Close()
				db.SetMaxOpenConns(16)
				db.SetMaxIdleConns(16)
				store, err := sqlstore.Open(b.Context(), db, kind.store, nil)
				if err != nil {
					b.Fatal(err)
				}
				defer store.Close()
				record, err := sqljournal.Open(db, kind.journal, nil)
				if err != nil {
					b.Fatal(err)
				}
				recorder := journal.NewRecorder(record, nil)
				plain, err := ringfence.New(store, nil)
				if err != nil {
					b.Fatal(err)
				}
				recorded, err := ringfence.New(store, &ringfence.Options{OnEvent: witness.New(recorder, nil).Saw})
				if err != nil {
					b.Fatal(err)
				}
				b.ResetTimer()
				without, with := time.Hour, time.Hour
				for b.Loop() {
					without = min(without, round(b, plain, callers))
					with = min(with, round(b, recorded, callers))
					if err := recorder.Flush(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(100*(with.Seconds()/without.Seconds()-1), "%cost")
				b.ReportMetric(float64(recorder.Lost()), "lost")
				if err := recorder.Close(context.Background()); err != nil {
					b.Error(err)
				}
			})
		}
	}
}

// round is how long it takes the callers to acquire and release a name each, 300
// times.
func round(b *testing.B, l *ringfence.Locker, callers int) time.Duration {
	begun := time.Now()
	var all sync.WaitGroup
	for c := range callers {
		all.Go(func() {
			for range 300 {
				lease, err := l.TryAcquire(b.Context(), fmt.Sprint("name", c), ringfence.Hold{TTL: time.Minute})
				if err == nil {
					err = lease.Release(b.Context())
				}
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	return time.Since(begun)
}
