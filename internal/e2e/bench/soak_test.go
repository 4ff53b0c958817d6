package bench

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/memstore"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

var soakTime = flag.Duration("soak", 20*time.Second, "how long each store's leases are held by BenchmarkSoak")

// soaked is how many leases one process holds.
const soaked = 10_000

// BenchmarkSoak has one Locker hold 10,000 leases of 30 s for as long as the flag says,
// and counts what was lost.
func BenchmarkSoak(b *testing.B) {
	b.Run("pgxstore", func(b *testing.B) {
		soak(b, "PostgreSQL, pgxstore", openPgx(b, realserver.NewPostgres(b, &realserver.PostgresOptions{Durable: true})))
	})
	b.Run("sqlstore", func(b *testing.B) {
		pg := realserver.NewPostgres(b, &realserver.PostgresOptions{Durable: true})
		store, err := sqlstore.Open(b.Context(), open(b, "pgx", pg.URL("postgres"), 8), sqlstore.Postgres, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = store.Close() })
		soak(b, "PostgreSQL, sqlstore", store)
	})
	b.Run("redis", func(b *testing.B) { soak(b, "Redis", openRedis(b, startRedis(b, nil).client)) })
	b.Run("memory", func(b *testing.B) { soak(b, "none: memstore", memstore.New(nil)) })
}

// soakedStore counts the requests that renew.
type soakedStore struct {
	driver.Store
	requests atomic.Int64
}

func (s *soakedStore) Renew(ctx context.Context, t driver.Term, ttl time.Duration) (driver.Term, error) {
	s.requests.Add(1)
	return s.Store.Renew(ctx, t, ttl)
}

func (s *soakedStore) RenewAll(ctx context.Context, all []driver.Renewal) []driver.Renewed {
	s.requests.Add(1)
	return s.Store.(driver.BatchRenewer).RenewAll(ctx, all)
}

// tally is what a Locker tells.
type tally struct{ renewed, failed, lost atomic.Int64 }

func (n *tally) count(e ringfence.Event) {
	switch e.Kind {
	case ringfence.EventRenewed:
		n.renewed.Add(1)
	case ringfence.EventRenewFailed:
		n.failed.Add(1)
	case ringfence.EventLost:
		n.lost.Add(1)
	}
}

func soak(b *testing.B, name string, store driver.Store) {
	var told tally
	counted := &soakedStore{Store: store}
	locker, err := ringfence.New(counted, &ringfence.Options{OnEvent: told.count})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		memory, goroutines := heap(), runtime.NumGoroutine()
		ctx, leave := context.WithCancel(b.Context())
		leases := hold(b, ctx, locker)
		goroutines = runtime.NumGoroutine() - goroutines
		renewed, requests, cpu, began := told.renewed.Load(), counted.requests.Load(), processorTime(), time.Now()
		busiest := watchLoad(b, *soakTime)
		took := time.Since(began)
		cpu, renewed, requests = processorTime()-cpu, told.renewed.Load()-renewed, counted.requests.Load()-requests
		memory = heap() - memory
		note("10,000 renewed leases of 30 s in one process", []string{"store", "held for", "lost", "renewals that failed", "renewals /s", "requests /s",
			"share of a core", "goroutines more", "bytes a lease", "load of the machine, at most"},
			name, took.Round(time.Second).String(), fmt.Sprint(told.lost.Load()), fmt.Sprint(told.failed.Load()),
			fmt.Sprintf("%.0f", float64(renewed)/took.Seconds()), fmt.Sprintf("%.1f", float64(requests)/took.Seconds()),
			fmt.Sprintf("%.1f %%", 100*cpu.Seconds()/took.Seconds()), fmt.Sprint(goroutines), fmt.Sprint(memory/soaked), busiest)
		runtime.KeepAlive(leases)
		leave()
	}
}

// hold takes all leases, by as many callers as a busy program has.
func hold(b *testing.B, ctx context.Context, locker *ringfence.Locker) []*ringfence.Lease {
	leases := make([]*ringfence.Lease, soaked)
	var next atomic.Int64
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			for i := next.Add(1) - 1; i < soaked; i = next.Add(1) - 1 {
				lease, err := locker.TryAcquire(ctx, fmt.Sprint("job-", i), ringfence.Hold{TTL: 30 * time.Second, Renew: true, Notice: 10 * time.Second})
				if err != nil {
					b.Error(err)
					return
				}
				leases[i] = lease
			}
		})
	}
	all.Wait()
	if b.Failed() {
		b.FailNow()
	}
	return leases
}

// heap is how many bytes are in use after a collection.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// watchLoad lets time pass, and returns the highest load of the machine that the
// system has told of meanwhile.
func watchLoad(b *testing.B, d time.Duration) (most string) {
	high := -1.0
	for end := time.Now().Add(d); time.Now().Before(end); {
		pass(b, min(5*time.Second, time.Until(end)))
		text, _ := os.ReadFile("/proc/loadavg")
		first, _, _ := strings.Cut(string(text), " ")
		var load float64
		if _, err := fmt.Sscan(first, &load); err == nil && load > high {
			high, most = load, first
		}
	}
	return most
}
