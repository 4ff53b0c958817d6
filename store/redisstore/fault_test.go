package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/redisstore"
)

func name(i int) string { return fmt.Sprintf("name %04d", i) }

func split(addr string) []string { return strings.Split(addr, ":") }

func TestManyRacersOneWinner(t *testing.T) {
	t.Parallel()
	server, first := start(t, nil)
	stores := []*redisstore.Store{first}
	for range 3 {
		stores = append(stores, open(t, dial(t, server.Addr(), server, false), nil))
	}
	for round := range 5 {
		var mu sync.Mutex
		var won []driver.Term
		var all sync.WaitGroup
		for i := range 64 {
			all.Go(func() {
				term, err := stores[i%len(stores)].Acquire(t.Context(), request(name(round%2)))
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					won = append(won, term)
				} else if h := (*driver.HeldError)(nil); !errors.As(err, &h) || h.Token == 0 || h.Holder == "" {
					t.Errorf("a loser: %v; want a full HeldError", err)
				}
			})
		}
		all.Wait()
		if len(won) != 1 {
			t.Fatalf("%d winners: %v", len(won), won)
		}
		release(t, first, won[0])
	}
}

func TestServersThatCannotHostLeases(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, nil)
	server.Exec("ACL", "SETUSER", "dull", "on", ">s3cret", "~*", "&*", "+@all", "-info")
	server.Exec("ACL", "SETUSER", "nobody", "on", ">s3cret", "~other:*", "&*", "+@all")
	proxy := realserver.NewProxy(t, server.Addr())
	proxy.Refuse()
	evicting := realserver.NewRedis(t, &realserver.RedisOptions{Settings: []string{"maxmemory 100mb", "maxmemory-policy allkeys-lru"}})
	volatile := realserver.NewRedis(t, &realserver.RedisOptions{Settings: []string{"maxmemory 100mb", "maxmemory-policy volatile-ttl"}})
	foreign := realserver.NewRedis(t, nil)
	foreign.Exec("SET", "{ringfence}:store", "something else")
	newer := realserver.NewRedis(t, nil)
	newer.Exec("HSET", "{ringfence}:store", "format", "2")
	client := func(addr, user, password string) *redis.Client {
		c := redis.NewClient(&redis.Options{Addr: addr, Username: user, Password: password, DialerRetries: 1})
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	ring := redis.NewRing(&redis.RingOptions{Addrs: map[string]string{"a": server.Addr()}})
	t.Cleanup(func() { _ = ring.Close() })
	for _, c := range []struct {
		name   string
		client redis.UniversalClient
		o      *redisstore.Options
		want   error
		says   string
	}{
		{"allkeys", client(evicting.Addr(), "", evicting.Password()), nil, driver.ErrUnfit, "noeviction"},
		{"volatile", client(volatile.Addr(), "", volatile.Password()), nil, driver.ErrUnfit, "volatile-ttl"},
		{"evicting and weak", client(evicting.Addr(), "", evicting.Password()), &redisstore.Options{WeakIdentity: true}, driver.ErrUnfit, "noeviction"},
		{"another's key", client(foreign.Addr(), "", foreign.Password()), nil, driver.ErrUnfit, "another Prefix"},
		{"newer", client(newer.Addr(), "", newer.Password()), nil, driver.ErrUnfit, "newer release"},
		{"bad password", client(server.Addr(), "dull", "wr0ng"), nil, driver.ErrUnfit, "password"},
		{"no password", client(server.Addr(), "", ""), nil, driver.ErrUnfit, "password"},
		{"no INFO", client(server.Addr(), "dull", "s3cret"), nil, driver.ErrUnfit, "WeakIdentity"},
		{"no rights", client(server.Addr(), "nobody", "s3cret"), nil, driver.ErrUnfit, "grant the user"},
		{"refusing", client(proxy.Addr(), "", server.Password()), nil, driver.ErrUnavailable, ""},
		{"nothing there", client("127.0.0.1:1", "", ""), nil, driver.ErrUnavailable, "connect"},
		{"ring", ring, nil, fence.ErrInvalid, "ring"},
		{"no client", nil, nil, fence.ErrInvalid, "client"},
		{"bad prefix", client(server.Addr(), "", server.Password()), &redisstore.Options{Prefix: "a{b}"}, fence.ErrInvalid, "Prefix"},
		{"bad workers", client(server.Addr(), "", server.Password()), &redisstore.Options{Workers: 65}, fence.ErrInvalid, "Workers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			began := time.Now()
			_, err := redisstore.Open(t.Context(), c.client, c.o)
			wantError(t, err, c.want, c.says)
			if err != nil && strings.Contains(err.Error(), "s3cret") || time.Since(began) > 30*time.Second {
				t.Errorf("after %s: %v", time.Since(began), err)
			}
		})
	}
	dull := open(t, client(server.Addr(), "dull", "s3cret"), &redisstore.Options{WeakIdentity: true, Prefix: "dull"})
	release(t, dull, take(t, dull, "n"))
}

// A user with no more rights than docs/stores/redis.md gives.
func TestUserWithTheRightsOfThePage(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, nil)
	server.Exec(strings.Fields("ACL SETUSER jobs on >s3cret ~{ringfence}:* &{ringfence}:* -@all +@connection +eval +evalsha +time +info +hmget" +
		" +hget +hset +del +zadd +zrem +zrangebylex +zcard +zrank +zscore +zrange +hdel +pexpire" +
		" +publish +subscribe +unsubscribe +config|get")...)
	client := redis.NewClient(&redis.Options{Addr: server.Addr(), Username: "jobs", Password: "s3cret"})
	t.Cleanup(func() { _ = client.Close() })
	s := open(t, client, nil)
	hints := watch(t, s, t.Context(), "n")
	release(t, s, take(t, s, "n"))
	await(t, hints)
	term, waits := take(t, s, "n"), stand(t, s, "n", driver.MaxKeep)
	hints = watchTurn(t, s, t.Context(), waits)
	release(t, s, term)
	await(t, hints)
	waiting, waitErr := s.Waiters(t.Context(), "n", 10)
	term, servedErr := s.Acquire(t.Context(), waits)
	if err := errors.Join(waitErr, servedErr); err != nil || len(waiting) != 1 {
		t.Errorf("%v, %d waiters", err, len(waiting))
	}
	release(t, s, term)
	leaves := stand(t, s, "n", driver.MaxKeep)
	if err := s.Leave(t.Context(), "n", leaves.Attempt); err != nil {
		t.Error(err)
	}
	take(t, s, "n")
	_, breakErr := s.Break(t.Context(), "n", "a test")
	records, listErr := s.List(t.Context(), "", "", 10)
	gone, pruneErr := s.Prune(t.Context(), 0, 10)
	_, raiseErr := s.Raise(t.Context(), 1)
	if err := errors.Join(breakErr, listErr, pruneErr, raiseErr); err != nil || len(records) != 1 || gone != 1 {
		t.Errorf("%v, %d records, %d pruned", err, len(records), gone)
	}
}

func TestServerThatBecomesUnfit(t *testing.T) {
	t.Parallel()
	server, s := start(t, &realserver.RedisOptions{Settings: []string{"maxmemory 100mb", "maxmemory-policy noeviction"}})
	term := take(t, s, "n")
	server.Kill()
	server.Start()
	server.Exec("CONFIG", "SET", "maxmemory-policy", "allkeys-random")
	_, err := s.Acquire(t.Context(), request("m"))
	wantError(t, err, driver.ErrUnfit, "noeviction")
	server.Exec("CONFIG", "SET", "maxmemory-policy", "noeviction")
	if next := take(t, s, "n"); next.Token <= term.Token {
		t.Errorf("token %s after %s", next.Token, term.Token)
	}
	server.Exec("CONFIG", "SET", "maxmemory", "1")
	_, err = s.Acquire(t.Context(), request("m"))
	wantError(t, err, driver.ErrUnavailable, "maxmemory")
	if rec, err := s.Inspect(t.Context(), "m"); err != nil || rec.State != driver.Free {
		t.Errorf("%+v, %v; want nothing granted", rec, err)
	}
	server.Exec("CONFIG", "SET", "maxmemory", "100mb", "min-replicas-to-write", "1")
	_, err = s.Acquire(t.Context(), request("m"))
	wantError(t, err, driver.ErrUnavailable, "replicas")
}

func TestDoubtIsResolvedByTheSameAttempt(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, nil)
	proxy := realserver.NewProxy(t, server.Addr())
	s := open(t, dial(t, proxy.Addr(), server, false), nil)
	release(t, s, take(t, s, "warm up"))
	r := request("n")
	lose := func(call func(context.Context) error) error {
		proxy.DropReplies()
		defer proxy.Heal()
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		return call(ctx)
	}
	wantError(t, lose(func(ctx context.Context) error { _, err := s.Acquire(ctx, r); return err }), driver.ErrUnknown, "same attempt")
	again, err := s.Acquire(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := s.Inspect(t.Context(), "n")
	if err != nil || rec.State != driver.Held || rec.Token != again.Token {
		t.Errorf("%+v, %v; want the one grant %s", rec, err, again.Token)
	}
	wantError(t, lose(func(ctx context.Context) error { return s.Release(ctx, again) }), driver.ErrUnknown, "")
	wantError(t, s.Release(t.Context(), again), driver.ErrEnded, "released")
}

// A reply that is lost with its connection, not with the caller's patience: the
// store asks again by itself, and a release that had arrived is still a success.
func TestLostConnectionsAreRepaired(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, nil)
	proxy := realserver.NewProxy(t, server.Addr())
	s := open(t, dial(t, proxy.Addr(), server, false), nil)
	release(t, s, take(t, s, "warm up")) // the server knows the scripts
	term := take(t, s, "n")
	proxy.DropReplies()
	done := make(chan error, 1)
	go func() { done <- s.Release(t.Context(), term) }()
	until(t, "the release has arrived", func() bool {
		return server.Exec("HGET", "{ringfence}:lease:n", "state") == "released"
	})
	proxy.Heal()
	if err := <-done; err != nil {
		t.Errorf("release whose first reply was lost: %v", err)
	}
	take(t, s, "broken")
	if _, err := s.Break(t.Context(), "n", "op"); err != nil { // the server knows the script
		t.Fatal(err)
	}
	proxy.DropReplies()
	go func() {
		was, err := s.Break(t.Context(), "broken", "op")
		if err == nil && was.State != driver.Held {
			err = fmt.Errorf("shown as %+v", was)
		}
		done <- err
	}()
	until(t, "the break has arrived", func() bool {
		return server.Exec("HGET", "{ringfence}:lease:broken", "state") == "forced"
	})
	proxy.Heal()
	if err := <-done; err != nil {
		t.Errorf("break whose first reply was lost: %v; want the term as it was", err)
	}
	if err := s.Release(t.Context(), term); !errors.Is(err, driver.ErrEnded) {
		t.Errorf("a second release: %v; want ErrEnded", err)
	}
}

// Who has released a name is not told that it was late, where the answer was lost and the
// next one has the name by now: nothing tells any more.
func TestLostReleaseOfANameThatWasGrantedSince(t *testing.T) {
	t.Parallel()
	server, other := start(t, nil)
	proxy := realserver.NewProxy(t, server.Addr())
	s := open(t, dial(t, proxy.Addr(), server, false), nil)
	release(t, s, take(t, s, "warm up")) // the server knows the scripts
	term := take(t, s, "n")
	proxy.DropReplies()
	done := make(chan error, 1)
	go func() { done <- s.Release(t.Context(), term) }()
	until(t, "the release has arrived", func() bool {
		return server.Exec("HGET", "{ringfence}:lease:n", "state") == "released" && proxy.Dropped()
	})
	take(t, other, "n")
	proxy.Heal()
	wantError(t, <-done, driver.ErrUnknown, "")
	wantError(t, s.Release(t.Context(), term), driver.ErrEnded, "superseded") // now it is certain
}

// A client that repeats a command by itself ends with the error of its last try. That
// one may not have been sent, and says nothing about those before.
func TestClientsOwnRetriesHideNothing(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, nil)
	proxy := realserver.NewProxy(t, server.Addr())
	var down atomic.Bool
	var refused atomic.Int32
	client := redis.NewClient(&redis.Options{
		Password: server.Password(), DialerRetries: 1, MaxRetries: 5,
		Dialer: func(ctx context.Context, _, _ string) (net.Conn, error) {
			if down.Load() {
				refused.Add(1)
				return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
			}
			return new(net.Dialer).DialContext(ctx, "tcp", proxy.Addr())
		},
	})
	t.Cleanup(func() { _ = client.Close() })
	s := open(t, client, nil)
	release(t, s, take(t, s, "warm up")) // the server knows the scripts
	term := take(t, s, "n")
	proxy.DropReplies()
	done := make(chan error, 1)
	go func() { done <- s.Release(t.Context(), term) }()
	until(t, "the release has arrived", func() bool {
		return server.Exec("HGET", "{ringfence}:lease:n", "state") == "released"
	})
	down.Store(true)
	proxy.Cut()
	wantError(t, <-done, driver.ErrUnknown, "refused")
	refused.Store(0)
	wantError(t, s.Release(t.Context(), term), driver.ErrUnavailable, "refused")
	if n := refused.Load(); n > 3 { // its pool dials once or twice for one try
		t.Errorf("the client dialed %d times for one call; want no retries", n)
	}
}

// A connection that hangs keeps nobody waiting but those whom it carries.
func TestHangingConnectionDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, nil)
	proxy := realserver.NewProxy(t, server.Addr())
	s := open(t, dial(t, proxy.Addr(), server, false), nil)
	take(t, s, "n")
	proxy.Blackhole()
	for i := range 4 {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err := s.Inspect(ctx, name(i))
		cancel()
		wantError(t, err, driver.ErrUnavailable, "deadline")
	}
	proxy.Heal()
	began := time.Now()
	take(t, s, "m")
	if d := time.Since(began); d > 2900*time.Millisecond { // one that waits for a connection which hangs takes 3 s
		t.Errorf("the next call took %s", d)
	}
}

func TestServerThatIsDownIsUnavailable(t *testing.T) {
	t.Parallel()
	server, s := start(t, nil)
	term := take(t, s, "n")
	server.Kill()
	_, err := s.Renew(t.Context(), term, time.Minute)
	wantError(t, err, driver.ErrUnavailable, "")
	wantError(t, s.Release(t.Context(), term), driver.ErrUnavailable, "")
}

func TestClientThatWasClosed(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, nil)
	client := dial(t, server.Addr(), server, false)
	s := open(t, client, nil)
	_ = client.Close()
	_, err := s.Inspect(t.Context(), "n")
	wantError(t, err, driver.ErrClosed, "close the store before its client")
}

func TestPrefixesAreDifferentStores(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, nil)
	client := dial(t, server.Addr(), server, false)
	a, b := open(t, client, &redisstore.Options{Prefix: "a"}), open(t, client, &redisstore.Options{Prefix: "a:lease", Label: "mine"})
	take(t, a, "lease:n")
	take(t, b, "n")
	take(t, b, "lease:n")
	if b.Properties().Store != "mine" || !strings.Contains(a.Properties().Store, server.Addr()) {
		t.Errorf("labels %q and %q", a.Properties().Store, b.Properties().Store)
	}
}

func TestNoGoroutineIsLeft(t *testing.T) { // not parallel: it looks at all of them
	_, s := start(t, nil)
	term := take(t, s, "n")
	hints, err := s.Watch(t.Context(), "n")
	if err != nil {
		t.Fatal(err)
	}
	release(t, s, term)
	await(t, hints)
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() { _, _ = s.Acquire(t.Context(), request(name(i))) })
	}
	_ = s.Close()
	all.Wait()
	until(t, "a closed store has no goroutine", func() bool { return !strings.Contains(stacks(), "redisstore.(") })
}

func stacks() string {
	b := make([]byte, 1<<20)
	return string(b[:runtime.Stack(b, true)])
}

func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); {
		if time.Now().After(end) {
			t.Fatalf("not so within 10 s: %s", what)
		}
		runtime.Gosched()
	}
}
