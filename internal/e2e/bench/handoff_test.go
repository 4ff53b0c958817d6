package bench

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// unlock gives back what a peer has locked.
type unlock = func(context.Context) error

// peer is another way to have a name to oneself: lock waits for it.
type peer struct {
	name string
	lock func(ctx context.Context, name string, waiter int) (unlock, error)
}

// pair locks and unlocks a name of the caller's own.
func (p peer) pair(ctx context.Context, caller int) error {
	free, err := p.lock(ctx, fmt.Sprint("job-", caller), caller)
	if err != nil {
		return err
	}
	return free(ctx)
}

// ringfenceOn waits as users do, through a Locker on each of the stores in turn.
func ringfenceOn(b *testing.B, name string, stores ...driver.Store) peer {
	var lockers []*ringfence.Locker
	for _, s := range stores {
		l, err := ringfence.New(s, nil)
		if err != nil {
			b.Fatal(err)
		}
		lockers = append(lockers, l)
	}
	return peer{name, func(ctx context.Context, name string, waiter int) (unlock, error) {
		lease, err := lockers[waiter%len(lockers)].Acquire(ctx, name, time.Minute, ringfence.Hold{TTL: 30 * time.Second})
		if err != nil {
			return nil, err
		}
		return lease.Release, nil
	}}
}

const waiters = 16

// BenchmarkHandoff has 16 waiters take turns on one name, for peer after peer.
func BenchmarkHandoff(b *testing.B) {
	b.Run("redis", func(b *testing.B) {
		server := startRedis(b, nil)
		var apart []driver.Store
		for range waiters {
			apart = append(apart, openRedis(b, dialRedis(b, server.Redis)))
		}
		peers := []peer{ringfenceOn(b, "ringfence, one process", apart[0]), ringfenceOn(b, "ringfence, 16 stores as of 16 processes", apart...)}
		handOver(b, "redis", append(append(peers, redisPeers(b, server)...), blpop(b, server)))
	})
	b.Run("etcd", func(b *testing.B) {
		client := dialEtcd(b, realserver.NewEtcd(b, nil))
		apart := etcdApart(b, client)
		handOver(b, "etcd", []peer{
			ringfenceOn(b, "ringfence, one process", apart[0]), ringfenceOn(b, "ringfence, 16 stores as of 16 processes", apart...),
			etcdMutex(b, client, waiters),
		})
	})
	b.Run("postgres", handOverPostgres)
	b.Run("mariadb", handOverMariaDB)
}

// blpop is the floor: a list with one element, and nothing that outlives its taker.
func blpop(b *testing.B, server redisServer) peer {
	if err := server.client.RPush(b.Context(), "blpop", rand.Text()).Err(); err != nil {
		b.Fatal(err)
	}
	return peer{"floor: BLPOP (no lease)", func(ctx context.Context, _ string, _ int) (unlock, error) {
		got, err := server.client.BLPop(ctx, 0, "blpop").Result()
		return func(ctx context.Context) error { return server.client.RPush(ctx, "blpop", got[1]).Err() }, err
	}}
}

// turn is one handover.
type turn struct {
	took time.Duration // from before the release to the next lock
	same bool          // the one who released got it again
}

func handOver(b *testing.B, store string, peers []peer) {
	for b.Loop() {
		turns, spent := make([][]turn, len(peers)), make([]time.Duration, len(peers))
		for range 3 {
			for i, p := range peers {
				began := time.Now()
				turns[i] = append(turns[i], p.takeTurns(b)...)
				spent[i] += time.Since(began)
			}
		}
		for i, p := range peers {
			var took []time.Duration
			same := 0
			for _, t := range turns[i] {
				if t.same {
					same++
				} else {
					took = append(took, t.took)
				}
			}
			slices.Sort(took)
			p50, p99 := "-", "-"
			if n := len(took); n > 0 {
				p50, p99 = ms(took[n/2]), ms(took[n*99/100])
			}
			note("Handing over: 16 waiters on one name",
				[]string{"store", "who", "to another waiter /s", "same waiter again", "release to the next one's start, p50 / p99 ms"},
				store, p.name, fmt.Sprintf("%.0f", float64(len(took))/spent[i].Seconds()),
				fmt.Sprintf("%d %%", 100*same/max(1, len(turns[i]))), p50+" / "+p99)
		}
	}
}

// takeTurns has the waiters lock and unlock one name for a while.
func (p peer) takeTurns(b *testing.B) (turns []turn) {
	b.Helper()
	end := time.Now().Add(4 * *roundTime)
	ctx, cancel := context.WithDeadline(b.Context(), end.Add(2*time.Second)) // a peer whose hint is lost may wait for ever
	defer cancel()
	var released time.Time // these two by whoever holds the name
	last := -1
	var all sync.WaitGroup
	for w := range waiters {
		all.Go(func() {
			for time.Now().Before(end) {
				free, err := p.lock(ctx, "one", w)
				if err != nil {
					if time.Now().Before(end) {
						b.Errorf("%s: %v", p.name, err)
					}
					return
				}
				if now := time.Now(); last >= 0 {
					turns = append(turns, turn{now.Sub(released), last == w})
				}
				last, released = w, time.Now()
				if err := free(ctx); err != nil && time.Now().Before(end) {
					b.Errorf("%s: %v", p.name, err)
				}
			}
		})
	}
	all.Wait()
	return turns
}
