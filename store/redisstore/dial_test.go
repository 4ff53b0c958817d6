package redisstore_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/redisstore"
)

// dial connects to a server, maybe through a proxy, as most programs do: with the
// client's defaults.
func dial(t testing.TB, addr string, server *realserver.Redis, cluster bool) redis.UniversalClient {
	t.Helper()
	client := redis.NewUniversalClient(&redis.UniversalOptions{
		Addrs: []string{addr}, Password: server.Password(), IsClusterMode: cluster,
	})
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func open(t testing.TB, client redis.UniversalClient, o *redisstore.Options) *redisstore.Store {
	t.Helper()
	s, err := redisstore.Open(t.Context(), client, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// start is a new server and a store on it.
func start(t testing.TB, o *realserver.RedisOptions) (*realserver.Redis, *redisstore.Store) {
	t.Helper()
	server := realserver.NewRedis(t, o)
	return server, open(t, dial(t, server.Addr(), server, false), nil)
}

func request(name string) driver.Request {
	return driver.Request{Name: name, Attempt: rand.Text(), Holder: "a test", TTL: time.Minute}
}

func take(t testing.TB, s driver.Store, name string) driver.Term {
	t.Helper()
	term, err := s.Acquire(t.Context(), request(name))
	if err != nil {
		t.Fatalf("acquire %q: %v", name, err)
	}
	return term
}

func release(t testing.TB, s driver.Store, term driver.Term) {
	t.Helper()
	if err := s.Release(t.Context(), term); err != nil {
		t.Fatalf("release: %v", err)
	}
}

func wantError(t testing.TB, err, want error, says string) {
	t.Helper()
	if !errors.Is(err, want) || !strings.Contains(err.Error(), says) {
		t.Errorf("got %v; want %v that says %q", err, want, says)
	}
}
