package redisstore_test

import (
	"crypto/rand"
	"fmt"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/internal/realserver"
)

// The raw limit: the least that two scripts can do with a token. It loses the lock
// and the number with the server.
var (
	rawAcquire = redis.NewScript(`if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return redis.call('INCR', KEYS[2]) end return 0`)
	rawRelease = redis.NewScript(`if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`)
)

// BenchmarkAcquireRelease compares a pair of steps of the store with the raw
// limit, by 1, 8 and 64 callers, in turns on one server. Only the ratio carries over from
// one machine to the next.
func BenchmarkAcquireRelease(b *testing.B) {
	server := realserver.NewRedis(b, nil)
	client := dial(b, server.Addr(), server, false)
	store := open(b, client, nil)
	raw := func(name string) error {
		keys, me := []string{name, name + ":token"}, rand.Text()
		if err := rawAcquire.Run(b.Context(), client, keys, me, 60_000).Err(); err != nil {
			return err
		}
		return rawRelease.Run(b.Context(), client, keys[:1], me).Err()
	}
	ours := func(name string) error {
		term, err := store.Acquire(b.Context(), request(name))
		if err != nil {
			return err
		}
		return store.Release(b.Context(), term)
	}
	defer func() { b.Log(server.Exec("INFO", "commandstats")) }()
	for _, callers := range []int{1, 8, 64} {
		var pairs [2]float64
		for i, pair := range []func(string) error{raw, ours} {
			b.Run(fmt.Sprintf("%s/%d", []string{"raw", "store"}[i], callers), func(b *testing.B) {
				var all sync.WaitGroup
				for c := range callers {
					all.Go(func() {
						name := fmt.Sprint("caller ", c)
						for range b.N {
							if err := pair(name); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				all.Wait()
				pairs[i] = float64(b.N*callers) / b.Elapsed().Seconds()
				b.ReportMetric(pairs[i], "pairs/s")
				if pairs[0] > 0 && i == 1 {
					b.ReportMetric(pairs[1]/pairs[0], "of-raw")
				}
			})
		}
	}
}
