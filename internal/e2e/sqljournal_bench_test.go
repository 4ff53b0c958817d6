package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/journal"
	"github.com/ringfence-go/ringfence/journal/sqljournal"
	"github.com/ringfence-go/ringfence/journal/witness"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// BenchmarkJournal measures what a record costs an acquire and a release. Rounds with
// and without it take turns. "%time" is the median of by how much the rounds of a turn
// differ, so that what else the machine does counts for little; "%cpu" is by how much
// the processor time of a pair does, the server's and that of all writing included.
// Each database waits for its disk.
//
//	go test -run '^$' -bench Journal/postgres -benchtime 1x ./internal/e2e
func BenchmarkJournal(b *testing.B) {
	for _, kind := range []struct {
		name    string
		driver  string
		store   sqlstore.Dialect
		journal sqljournal.Dialect
		urls    func(*testing.B) (leases, record string)
	}{
		{"sqlite", "sqlite", sqlstore.SQLite, sqljournal.SQLite, sqliteBeside},
		{"sqlite_same_file", "sqlite", sqlstore.SQLite, sqljournal.SQLite, func(b *testing.B) (string, string) { file, _ := sqliteBeside(b); return file, file }},
		{"postgres", "pgx", sqlstore.Postgres, sqljournal.Postgres, func(b *testing.B) (string, string) {
			url := realserver.NewPostgres(b, &realserver.PostgresOptions{Durable: true}).URL("postgres")
			return url, url
		}},
		{"mysql", "mysql", sqlstore.MySQL, sqljournal.MySQL, func(b *testing.B) (string, string) {
			url := realserver.NewMariaDB(b, &realserver.MariaDBOptions{Durable: true}).URL("mysql")
			return url, url
		}},
	} {
		b.Run(kind.name, func(b *testing.B) {
			leases, record := kind.urls(b)
			db := pool(b, kind.driver, leases)
			store, err := sqlstore.Open(b.Context(), db, kind.store, nil)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = store.Close() })
			if record != leases {
				db = pool(b, kind.driver, record)
			}
			j, err := sqljournal.Open(db, kind.journal, nil)
			if err != nil {
				b.Fatal(err)
			}
			for _, callers := range []int{1, 8, 64} {
				b.Run(fmt.Sprint(callers), func(b *testing.B) { compareJournal(b, store, j, callers) })
			}
		})
	}
}

func sqliteBeside(b *testing.B) (leases, record string) {
	b.Helper()
	file := "file:" + filepath.Join(b.TempDir(), "leases.db")
	const how = "?_pragma=busy_timeout(20000)&_pragma=journal_mode(wal)&_pragma=synchronous(full)"
	return file + how, file + ".history" + how
}

func pool(b *testing.B, driver, url string) *sql.DB {
	b.Helper()
	db, err := sql.Open(driver, url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(16)
	db.SetMaxIdleConns(16)
	return db
}

// spent is what some rounds of one side took.
type spent struct {
	pairs     int64
	processor time.Duration // of this process and of the server
	perPair   []float64     // microseconds, round by round
}

// compareJournal runs 8 turns of two rounds.
func compareJournal(b *testing.B, store *sqlstore.Store, j journal.Journal, callers int) {
	recorder := journal.NewRecorder(j, nil)
	plain, err := ringfence.New(store, nil)
	if err != nil {
		b.Fatal(err)
	}
	recorded, err := ringfence.New(store, &ringfence.Options{OnEvent: witness.New(recorder, nil).Saw})
	if err != nil {
		b.Fatal(err)
	}
	var without, with spent
	var costs []float64
	for b.Loop() {
		for turn := range 8 {
			rounds := []func(){
				func() { without.round(b, plain, callers, nil) },
				func() { with.round(b, recorded, callers, recorder.Flush) },
			}
			rounds[turn%2]()
			rounds[(turn+1)%2]()
			costs = append(costs, 100*(with.perPair[len(costs)]/without.perPair[len(costs)]-1))
		}
	}
	b.ReportMetric(middle(costs), "%time")
	b.ReportMetric(100*(with.work()/without.work()-1), "%cpu")
	b.ReportMetric(middle(without.perPair), "µs/pair")
	b.ReportMetric(without.work(), "cpu-µs/pair")
	b.ReportMetric(float64(recorder.Lost()), "lost")
	if err := recorder.Close(context.Background()); err != nil {
		b.Error(err)
	}
}

// work is the microseconds of processor time that a pair took.
func (s *spent) work() float64 { return float64(s.processor.Microseconds()) / float64(s.pairs) }

func middle(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// round has the callers acquire and release a name each for a second. What is written
// after that counts as processor time.
func (s *spent) round(b *testing.B, l *ringfence.Locker, callers int, flush func(context.Context) error) {
	begun, used := time.Now(), processorTime()
	var pairs atomic.Int64
	var all sync.WaitGroup
	for c := range callers {
		all.Go(func() {
			for time.Since(begun) < time.Second {
				lease, err := l.TryAcquire(b.Context(), fmt.Sprint("name", c), ringfence.Hold{TTL: time.Minute})
				if err == nil {
					err = lease.Release(b.Context())
				}
				if err != nil {
					b.Error(err)
					return
				}
				pairs.Add(1)
			}
		})
	}
	all.Wait()
	took := time.Since(begun)
	if flush != nil {
		if err := flush(b.Context()); err != nil {
			b.Error(err)
		}
	}
	s.pairs += pairs.Load()
	s.processor += processorTime() - used
	s.perPair = append(s.perPair, float64(took.Microseconds())/float64(pairs.Load()))
}

// processorTime is what this process and those below it have used, on Linux; elsewhere
// it is nothing.
func processorTime() time.Duration { return usedBy(strconv.Itoa(os.Getpid())) }

func usedBy(pid string) time.Duration {
	text, _ := os.ReadFile("/proc/" + pid + "/stat")
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:])) // the name before may hold anything
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	sum := time.Duration(user+system) * 10 * time.Millisecond
	threads, _ := filepath.Glob("/proc/" + pid + "/task/*/children")
	for _, file := range threads {
		children, _ := os.ReadFile(file)
		for _, child := range strings.Fields(string(children)) {
			sum += usedBy(child)
		}
	}
	return sum
}
