package bench

import (
	"context"
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"

	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/redisstore"
)

// The least that two scripts can do with a token. It loses the lock and the number
// with the server.
const (
	rawAcquireText = `if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return redis.call('INCR', KEYS[2]) end return 0`
	rawReleaseText = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`
)

// redisServer is one server and the ways to it.
type redisServer struct {
	*realserver.Redis
	client  *redis.Client
	rueidis rueidis.ClientOption
}

func startRedis(b *testing.B, o *realserver.RedisOptions) redisServer {
	s := realserver.NewRedis(b, o)
	return redisServer{s, dialRedis(b, s), rueidis.ClientOption{
		InitAddress: []string{s.Addr()}, Password: s.Password(), DisableCache: true,
	}}
}

func dialRedis(b *testing.B, s *realserver.Redis) *redis.Client {
	client := redis.NewClient(&redis.Options{Addr: s.Addr(), Password: s.Password(), PoolSize: 64})
	b.Cleanup(func() { _ = client.Close() })
	return client
}

func openRedis(b *testing.B, client *redis.Client) *redisstore.Store {
	store, err := redisstore.Open(b.Context(), client, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = store.Close() })
	return store
}

// BenchmarkRedis compares acquire + release on Redis with the raw limit and the peers.
func BenchmarkRedis(b *testing.B) { contestRedis(b, "Acquire + release on Redis", nil) }

// BenchmarkRedisDurable does so where no grant is lost with the server: it writes each
// change to its disk before it answers.
func BenchmarkRedisDurable(b *testing.B) {
	contestRedis(b, "Acquire + release on Redis with appendfsync always", &realserver.RedisOptions{Durable: true})
}

func contestRedis(b *testing.B, question string, o *realserver.RedisOptions) {
	server := startRedis(b, o)
	all := []contender{
		{"ringfence", leaseOf(openRedis(b, server.client))},
		{"two scripts, go-redis", rawRedis(server.client)},
		{"two scripts, rueidis, pipelined by itself", rawRueidis(b, server.rueidis)},
	}
	for _, p := range redisPeers(b, server) {
		all = append(all, contender{p.name, p.pair})
	}
	for _, callers := range callerCounts {
		b.Run(fmt.Sprint(callers), func(b *testing.B) { contest(b, question, callers, all) })
	}
}

func rawRedis(client *redis.Client) side {
	acquire, release := redis.NewScript(rawAcquireText), redis.NewScript(rawReleaseText)
	return func(ctx context.Context, caller int) error {
		key, me := fmt.Sprint("raw-", caller), rand.Text()
		if err := acquire.Run(ctx, client, []string{key, key + ":token"}, me, 60_000).Err(); err != nil {
			return err
		}
		return release.Run(ctx, client, []string{key}, me).Err()
	}
}

func rawRueidis(b *testing.B, o rueidis.ClientOption) side {
	client, err := rueidis.NewClient(o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(client.Close)
	acquire, release := rueidis.NewLuaScript(rawAcquireText), rueidis.NewLuaScript(rawReleaseText)
	return func(ctx context.Context, caller int) error {
		key, me := fmt.Sprint("rueidis-", caller), rand.Text()
		if err := acquire.Exec(ctx, client, []string{key, key + ":token"}, []string{me, "60000"}).Error(); err != nil {
			return err
		}
		return release.Exec(ctx, client, []string{key}, []string{me}).Error()
	}
}

// redisPeers are the lock libraries of Redis. None of them has a token.
func redisPeers(b *testing.B, server redisServer) []peer {
	sync := redsync.New(goredis.NewPool(server.client))
	obtain := redislock.New(server.client)
	locker, err := rueidislock.NewLocker(rueidislock.LockerOption{
		ClientOption: rueidis.ClientOption{InitAddress: server.rueidis.InitAddress, Password: server.rueidis.Password},
		KeyMajority:  1, NoLoopTracking: true, KeyValidity: 20 * time.Second,
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(locker.Close)
	return []peer{
		{"redsync", func(ctx context.Context, name string, _ int) (unlock, error) {
			m := sync.NewMutex("redsync-"+name, redsync.WithExpiry(time.Minute), redsync.WithTries(100_000))
			return func(ctx context.Context) error { _, err := m.UnlockContext(ctx); return err }, m.LockContext(ctx)
		}},
		{"redislock", func(ctx context.Context, name string, _ int) (unlock, error) {
			l, err := obtain.Obtain(ctx, "redislock-"+name, time.Minute,
				&redislock.Options{RetryStrategy: redislock.ExponentialBackoff(16*time.Millisecond, 512*time.Millisecond)})
			if err != nil {
				return nil, err
			}
			return l.Release, nil
		}},
		{"rueidislock, 1 key", func(ctx context.Context, name string, _ int) (unlock, error) {
			for { // it can wait for ever on a name that is free, after a call of its own took longer than 20 ms
				within, giveUp := context.WithCancel(ctx)
				late := time.AfterFunc(time.Second, giveUp)
				_, cancel, err := locker.WithContext(within, name)
				if late.Stop() && err == nil || ctx.Err() != nil {
					return func(context.Context) error { cancel(); giveUp(); return nil }, err
				}
				giveUp()
			}
		}},
	}
}
