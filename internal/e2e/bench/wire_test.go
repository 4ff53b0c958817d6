package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/internal/realserver"
)

// counter tells how many calls a server has had.
type counter func() int64

// monitored counts what clients send, one by one, as the server itself shows it;
// what a script does is no call.
func monitored(b *testing.B, server *realserver.Redis) counter {
	conn, err := net.Dial("tcp", server.Addr())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	fmt.Fprintf(conn, "AUTH %s\r\nMONITOR\r\n", server.Password())
	var calls atomic.Int64
	lines := bufio.NewScanner(conn)
	for range 2 {
		lines.Scan() // OK
	}
	go func() {
		for lines.Scan() {
			if text := lines.Text(); !strings.Contains(text, " lua]") && !strings.Contains(strings.ToUpper(text), `"PING"`) {
				calls.Add(1)
			}
		}
	}()
	return calls.Load
}

// metered counts requests and messages of streams, by the server's own metrics.
func metered(b *testing.B, server *realserver.Etcd) counter {
	return func() (sum int64) {
		resp, err := http.Get("http://" + server.Endpoints()[0] + "/metrics")
		if err != nil {
			b.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			b.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var n float64
			if _, value, ok := strings.Cut(line, "} "); ok && strings.HasPrefix(line, "grpc_server_msg_received_total{") {
				fmt.Sscan(value, &n)
				sum += int64(n)
			}
		}
		return sum
	}
}

// BenchmarkCalls counts calls to the store per acquire, with its release.
func BenchmarkCalls(b *testing.B) {
	b.Run("redis", func(b *testing.B) {
		server := startRedis(b, nil)
		store := openRedis(b, server.client)
		count := monitored(b, server.Redis)
		countCalls(b, "redis, by MONITOR", count, append([]peer{ringfenceOn(b, "ringfence", store)}, redisPeers(b, server)...))
		wait200(b, "redis, by MONITOR", ringfenceOn(b, "ringfence", store), count)
	})
	b.Run("etcd", func(b *testing.B) {
		server := realserver.NewEtcd(b, nil)
		client := dialEtcd(b, server)
		store := openEtcd(b, client)
		countCalls(b, "etcd, by its metrics", metered(b, server), []peer{
			ringfenceOn(b, "ringfence", store), ringfenceOn(b, "ringfence, 16 stores as of 16 processes", etcdApart(b, client)...),
			etcdMutex(b, client, waiters),
		})
		wait200(b, "etcd, by its metrics", ringfenceOn(b, "ringfence", store), metered(b, server))
	})
	b.Run("postgres", func(b *testing.B) {
		pg := realserver.NewPostgres(b, &realserver.PostgresOptions{Settings: []string{"shared_preload_libraries=pg_stat_statements"}})
		count, store := recorded(b, pg), openPgx(b, pg)
		countCalls(b, "postgres, by pg_stat_statements", count, []peer{
			ringfenceOn(b, "ringfence, pgxstore", store), advisory(open(b, "pgx", pg.URL("postgres"), 64)),
		})
		wait200(b, "postgres, by pg_stat_statements", ringfenceOn(b, "ringfence, pgxstore", store), count)
	})
	b.Run("mariadb", func(b *testing.B) {
		server := startMariaDB(b)
		countCalls(b, "mariadb, by Questions", server.questions(b), []peer{ringfenceOn(b, "ringfence", server.open(b)), getLock(server.db)})
		wait200(b, "mariadb, by Questions", ringfenceOn(b, "ringfence", server.open(b)), server.questions(b))
	})
}

func countCalls(b *testing.B, store string, count counter, peers []peer) {
	const pairs = 500
	for _, p := range peers {
		before := count()
		for range pairs {
			if err := p.pair(b.Context(), 0); err != nil {
				b.Fatal(err)
			}
		}
		alone := float64(count()-before) / pairs
		before = count()
		turns := len(p.takeTurns(b))
		note("Calls to the store for an acquire and its release", []string{"store, how counted", "who", "uncontended", "16 waiters on one name"},
			store, p.name, fmt.Sprintf("%.1f", alone), fmt.Sprintf("%.1f", float64(count()-before)/float64(max(1, turns))))
	}
}

// wait200 has 200 callers in this process wait for a name that is held.
func wait200(b *testing.B, store string, p peer, count counter) {
	free, err := p.lock(b.Context(), "long", 0)
	if err != nil {
		b.Fatal(err)
	}
	ctx, leave := context.WithCancel(b.Context())
	defer leave()
	var got atomic.Int64
	var all sync.WaitGroup
	for w := range 200 {
		all.Go(func() {
			if _, err := p.lock(ctx, "long", w); err == nil {
				got.Add(1)
			}
		})
	}
	const watched = 10 * time.Second
	pass(b, 3*time.Second) // until all of them wait
	calls, cpu := count(), processorTime()
	pass(b, watched)
	idleCalls, idle := count()-calls, processorTime()-cpu
	calls = count()
	if err := free(b.Context()); err != nil {
		b.Fatal(err)
	}
	pass(b, 200*time.Millisecond)
	note("200 waiters in one process on a held name", []string{"store, how counted", "share of a core", "calls a second while they wait", "calls within 0.2 s of a release", "granted"},
		store, fmt.Sprintf("%.1f %%", 100*idle.Seconds()/watched.Seconds()), fmt.Sprintf("%.0f", float64(idleCalls)/watched.Seconds()),
		fmt.Sprint(count()-calls), fmt.Sprint(got.Load()))
	leave()
	all.Wait()
}

// pass lets time pass, in which what is measured goes on.
func pass(b *testing.B, d time.Duration) {
	select {
	case <-time.After(d):
	case <-b.Context().Done():
	}
}

// processorTime is what this process has used of all processors.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
