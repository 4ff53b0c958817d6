package redisguard_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/redisguard"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

func dial(t testing.TB, addr string, server *realserver.Redis, cluster bool) redis.UniversalClient {
	t.Helper()
	client := redis.NewUniversalClient(&redis.UniversalOptions{
		Addrs: []string{addr}, Password: server.Password(), IsClusterMode: cluster,
	})
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func job(token fence.Token) fence.Fence { return fence.Fence{Name: "job", Token: token} }

func nth(token fence.Token, seq uint64, key string) guard.Write {
	return guard.Write{Fence: job(token), Seq: seq, Key: key}
}

// sequenced is a guard of the resource "r", which token 5 has established.
func sequenced(t testing.TB, client redis.UniversalClient) *redisguard.Guard {
	t.Helper()
	g, err := redisguard.New(client, "r", guard.Sequenced, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Establish(t.Context(), job(5)); err != nil {
		t.Fatal(err)
	}
	return g
}

func wantError(t testing.TB, v fence.Verdict, err error, o fence.Outcome, want error, says string) {
	t.Helper()
	if v.Outcome != o || !errors.Is(err, want) || !strings.Contains(err.Error(), says) {
		t.Errorf("got %v, error %v; want %v, %v that says %q", v, err, o, want, says)
	}
}

func TestFailingCommandLeavesNothing(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, nil)
	client := dial(t, server.Addr(), server, false)
	g := sequenced(t, client)
	set, bad := redisguard.Command{"SET", "{r}:a", "x"}, redisguard.Command{"LPUSH", "{r}:a", "x"}
	if _, err := g.Do(t.Context(), nth(5, 1, "one"), set); err != nil {
		t.Fatal(err)
	}
	marks := func() string {
		mark, terms := g.Keys()
		return server.Exec("HGETALL", mark) + "\n" + server.Exec("HGETALL", terms)
	}
	before := marks()
	for _, w := range []guard.Write{nth(5, 2, "two"), nth(6, 1, "one")} {
		v, err := g.Do(t.Context(), w, bad, set)
		wantError(t, v, err, fence.Unavailable, guard.ErrUnavailable, "nothing is applied")
		v, err = g.Do(t.Context(), w, redisguard.Command{"NOSUCH", "{r}:a"})
		wantError(t, v, err, fence.Unavailable, guard.ErrUnavailable, "nothing is applied")
		if after := marks(); after != before {
			t.Errorf("the mark was %s and is %s", before, after)
		}
	}
}

func TestLaterFailingCommandIsTold(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, nil)
	g := sequenced(t, dial(t, server.Addr(), server, false))
	w := nth(6, 1, "one")
	first := redisguard.Command{"INCR", "{r}:n"}
	v, err := g.Do(t.Context(), w, first, redisguard.Command{"LPUSH", "{r}:n", "x"})
	wantError(t, v, err, fence.Unknown, guard.ErrUnknown, "1 of its commands")
	v, err = g.Do(t.Context(), nth(5, 1, "stale"), first)
	wantError(t, v, err, fence.Refused, fence.ErrRefused, "superseded")
	if v, err := g.Do(t.Context(), w, first); err != nil || v.Outcome != fence.Admitted {
		t.Errorf("the same write, mended: %v, %v", v, err)
	}
}

func TestMarkComesFirstWhereWritingIsRefused(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, nil)
	g := sequenced(t, dial(t, server.Addr(), server, false))
	server.Exec("SET", "{r}:data", "kept")
	server.Exec("ACL", "SETUSER", "writer", "on", ">s3cret", "~{r}:data", "~{r}:ringfence:mark:*", "+@all")
	server.Exec("ACL", "SETUSER", "stranger", "on", ">s3cret", "~{r}:data", "+@all")
	remove := redisguard.Command{"DEL", "{r}:data"}
	for user, says := range map[string]string{"stranger": "NOPERM", "writer": "NOPERM"} {
		client := redis.NewClient(&redis.Options{Addr: server.Addr(), Username: user, Password: "s3cret"})
		other, err := redisguard.New(client, "r", guard.Sequenced, nil)
		if err != nil {
			t.Fatal(err)
		}
		v, err := other.Do(t.Context(), nth(5, 1, "one"), remove)
		wantError(t, v, err, fence.Unavailable, guard.ErrUnfit, says)
		_ = client.Close()
	}
	mark, terms := g.Keys()
	before := server.Exec("HGETALL", mark)
	server.Exec("SET", terms, "something else")
	v, err := g.Do(t.Context(), nth(6, 1, "one"), remove)
	wantError(t, v, err, fence.Unavailable, guard.ErrUnfit, "another name")
	if after := server.Exec("HGETALL", mark); after != before {
		t.Errorf("the mark was %s and is %s", before, after)
	}
	server.Exec("DEL", terms)
	server.Exec("CONFIG", "SET", "maxmemory", "1")
	v, err = g.Do(t.Context(), nth(5, 1, "one"), remove) // which by itself would be allowed
	wantError(t, v, err, fence.Unavailable, guard.ErrUnavailable, "OOM")
	server.Exec("CONFIG", "SET", "maxmemory", "0")
	if got := server.Exec("GET", "{r}:data"); got != "kept" {
		t.Errorf("the data is %q; want it untouched", got)
	}
	if v, err := g.Do(t.Context(), nth(5, 1, "one"), remove); err != nil || v.Outcome != fence.Admitted {
		t.Errorf("afterwards: %v, %v", v, err)
	}
}

func TestLostMarkIsNotEstablished(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, nil)
	g := sequenced(t, dial(t, server.Addr(), server, false))
	server.Exec("FLUSHALL")
	set := redisguard.Command{"SET", "{r}:a", "x"}
	v, err := g.Do(t.Context(), nth(5, 1, "one"), set) // and the scripts are still known
	wantError(t, v, err, fence.Refused, fence.ErrRefused, "not_established")
	server.Exec("SCRIPT", "FLUSH")
	if _, err := g.Establish(t.Context(), job(6)); err != nil {
		t.Fatal(err)
	}
	server.Exec("SCRIPT", "FLUSH")
	if v, err := g.Do(t.Context(), nth(6, 1, "one"), set); err != nil || v.Outcome != fence.Admitted {
		t.Errorf("%v, %v", v, err)
	}
	mark, _ := g.Keys()
	if ttl := server.Exec("PTTL", mark); ttl != "-1" {
		t.Errorf("the mark's time to live is %s; want none", ttl)
	}
	server.Exec("HSET", mark, "token", "12x")
	v, err = g.Do(t.Context(), nth(6, 2, "two"), set)
	wantError(t, v, err, fence.Unavailable, guard.ErrUnfit, "another name")
}

func TestLostReplyIsUnknownUntilItIsResent(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, nil)
	proxy := realserver.NewProxy(t, server.Addr())
	g := sequenced(t, dial(t, proxy.Addr(), server, false))
	add := redisguard.Command{"INCR", "{r}:n"}
	if _, err := g.Do(t.Context(), nth(5, 1, "one"), add); err != nil { // and the server knows the script
		t.Fatal(err)
	}
	proxy.DropReplies()
	ctx, cancel := context.WithCancel(t.Context()) // which go-redis does not look at
	defer time.AfterFunc(100*time.Millisecond, cancel).Stop()
	began := time.Now()
	v, err := g.Do(ctx, nth(5, 2, "two"), add)
	wantError(t, v, err, fence.Unknown, guard.ErrUnknown, "resend")
	if took := time.Since(began); took > time.Second {
		t.Errorf("it returned after %s", took)
	}
	proxy.Heal()
	if v, err := g.Do(t.Context(), nth(5, 2, "two"), add); err != nil || v.Outcome != fence.Duplicate {
		t.Errorf("sent again: %v, %v", v, err)
	}
	if n := server.Exec("GET", "{r}:n"); n != "2" {
		t.Errorf("applied %s times; want 2", n)
	}
	near := sequenced(t, dial(t, server.Addr(), server, false))
	server.Kill()
	v, err = near.Do(t.Context(), nth(5, 3, "three"), add)
	wantError(t, v, err, fence.Unavailable, guard.ErrUnavailable, "nothing is applied")
}

// A client that repeats a command by itself ends with the error of its last try. That
// one may not have been sent, and says nothing about those before.
func TestClientsOwnRetriesHideNothing(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, nil)
	proxy := realserver.NewProxy(t, server.Addr())
	var down atomic.Bool
	client := redis.NewClient(&redis.Options{
		Password: server.Password(), DialerRetries: 1, MaxRetries: 5,
		Dialer: func(ctx context.Context, _, _ string) (net.Conn, error) {
			if down.Load() {
				return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
			}
			return new(net.Dialer).DialContext(ctx, "tcp", proxy.Addr())
		},
	})
	t.Cleanup(func() { _ = client.Close() })
	g := sequenced(t, client)
	add := redisguard.Command{"INCR", "{r}:n"}
	if _, err := g.Do(t.Context(), nth(5, 1, "one"), add); err != nil { // and the server knows the script
		t.Fatal(err)
	}
	proxy.DropReplies()
	type answer struct {
		v   fence.Verdict
		err error
	}
	done := make(chan answer, 1)
	go func() {
		v, err := g.Do(t.Context(), nth(5, 2, "two"), add)
		done <- answer{v, err}
	}()
	for end := time.Now().Add(10 * time.Second); server.Exec("GET", "{r}:n") != "2"; {
		if time.Now().After(end) {
			t.Fatal("the write has not arrived within 10 s")
		}
	}
	down.Store(true)
	proxy.Cut()
	a := <-done
	wantError(t, a.v, a.err, fence.Unknown, guard.ErrUnknown, "resend")
	v, err := g.Do(t.Context(), nth(5, 2, "two"), add)
	wantError(t, v, err, fence.Unavailable, guard.ErrUnavailable, "refused")
}

func TestBadCallsSendNothing(t *testing.T) {
	t.Parallel()
	nowhere := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", DialerRetries: 1})
	t.Cleanup(func() { _ = nowhere.Close() })
	for name, o := range map[string]*redisguard.Options{"a{b": nil, "a}b": nil, "": nil, "r": {Tag: "{"}, "s": {Lease: " x"}} {
		if _, err := redisguard.New(nowhere, name, guard.Latest, o); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("resource %q, %+v: %v; want ErrInvalid", name, o, err)
		}
	}
	if _, err := redisguard.New(nil, "r", guard.Latest, nil); !errors.Is(err, fence.ErrInvalid) {
		t.Errorf("no client: %v", err)
	}
	if _, err := redisguard.New(nowhere, "r", 0, nil); !errors.Is(err, fence.ErrInvalid) {
		t.Errorf("no rule: %v", err)
	}
	counter := new(guard.Counter)
	g, err := redisguard.New(nowhere, "{r}", guard.Latest, &redisguard.Options{Tag: "r", Lease: "job", Counter: counter})
	if err != nil {
		t.Fatal(err)
	}
	w := guard.Write{Fence: job(5)}
	for _, commands := range [][]redisguard.Command{nil, {{}}, {make(redisguard.Command, 1001)}} {
		if _, err := g.Do(t.Context(), w, commands...); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("%d commands: %v; want ErrInvalid", len(commands), err)
		}
	}
	w.Fence.Name = "other"
	v, err := g.Do(t.Context(), w, redisguard.Command{"PING"})
	wantError(t, v, err, fence.Refused, fence.ErrRefused, "invalid")
	if v, err = g.Establish(t.Context(), w.Fence); v.Cause != fence.Invalid || g.Counter() != counter || counter.Refusals()[fence.Invalid] != 2 {
		t.Errorf("%v, %v", v, err)
	}
}
