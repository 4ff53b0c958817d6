package redisstore_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/redisstore"
)

func watch(t *testing.T, s driver.Watcher, ctx context.Context, name string) <-chan struct{} {
	t.Helper()
	hints, err := s.Watch(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	return hints
}

func await(t testing.TB, hints <-chan struct{}) {
	t.Helper()
	select {
	case <-hints:
	case <-time.After(10 * time.Second):
		t.Fatal("no hint within 10 s")
	}
}

// Each end of a term wakes one of all who wait, in whichever process, in turn.
func TestReleaseAndBreakWakeOneOfAll(t *testing.T) {
	t.Parallel()
	server, s := start(t, nil)
	other := open(t, dial(t, server.Addr(), server, false), nil)
	a, b := watch(t, s, t.Context(), "n"), watch(t, s, t.Context(), "n")
	elsewhere := watch(t, other, t.Context(), "n")
	stranger := watch(t, s, t.Context(), "m")
	for i, hints := range []<-chan struct{}{a, elsewhere, b, elsewhere} {
		term := take(t, other, "n")
		if i%2 == 0 {
			release(t, other, term)
		} else if _, err := s.Break(t.Context(), "n", "a test"); err != nil {
			t.Fatal(err)
		}
		await(t, hints)
		until(t, "both processes wait again", func() bool {
			return len(strings.Fields(server.Exec("HGET", "{ringfence}:lease:n", "waiting"))) == 2
		})
	}
	for who, hints := range map[string]<-chan struct{}{"a": a, "b": b, "elsewhere": elsewhere, "the stranger": stranger} {
		if len(hints) != 0 {
			t.Errorf("%s has a hint too many", who)
		}
	}
}

// A process that is gone costs nobody a hint, and one that stops waiting hands on its own.
func TestHintPassesOverWhoeverIsGone(t *testing.T) {
	t.Parallel()
	server, s := start(t, nil)
	for range 3 {
		client := redis.NewClient(&redis.Options{Addr: server.Addr(), Password: server.Password()})
		gone, err := redisstore.Open(t.Context(), client, nil)
		if err != nil {
			t.Fatal(err)
		}
		watch(t, gone, t.Context(), "n")
		_ = gone.Close() // as its process would end: it is left in the queue
		_ = client.Close()
	}
	quitter := open(t, dial(t, server.Addr(), server, false), nil)
	ctx, leave := context.WithCancel(t.Context())
	first := watch(t, quitter, ctx, "n")
	last := watch(t, s, t.Context(), "n")
	until(t, "nobody listens for those that are gone", func() bool {
		return len(strings.Fields(server.Exec("PUBSUB", "CHANNELS", "*"))) == 2
	})
	release(t, s, take(t, s, "n"))
	until(t, "the first has its hint", func() bool { return len(first) == 1 })
	if len(last) != 0 {
		t.Error("the last has a hint, too")
	}
	leave()
	await(t, last)
}

// Who stops waiting leaves nothing behind, also of a name that was never leased.
func TestWaitersLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	server, s := start(t, nil)
	release(t, s, take(t, s, "n"))
	ctx, leave := context.WithCancel(t.Context())
	watch(t, s, ctx, "n")
	watch(t, s, ctx, "never leased")
	leave()
	until(t, "the queue is empty", func() bool {
		return server.Exec("HGET", "{ringfence}:lease:n", "waiting") == "" &&
			server.Exec("EXISTS", "{ringfence}:lease:never leased") == "0"
	})
}

func TestHintThatNobodyTookGoesOn(t *testing.T) {
	t.Parallel()
	_, s := start(t, nil)
	ctx, leave := context.WithCancel(t.Context())
	first := watch(t, s, ctx, "n")
	second := watch(t, s, t.Context(), "n")
	release(t, s, take(t, s, "n"))
	until(t, "the first has its hint", func() bool { return len(first) == 1 })
	leave()
	await(t, second)
}

func TestWatchBeginsAgainAndSurvivesARestart(t *testing.T) {
	t.Parallel()
	server, s := start(t, nil)
	for range 20 {
		ctx, leave := context.WithCancel(t.Context())
		hints := watch(t, s, ctx, "n")
		release(t, s, take(t, s, "n"))
		await(t, hints)
		leave()
	}
	hints := watch(t, s, t.Context(), "n")
	server.Kill()
	server.Start()
	await(t, hints) // whatever was released meanwhile
	until(t, "it waits again", func() bool { return server.Exec("HGET", "{ringfence}:lease:n", "waiting") != "" })
	release(t, s, take(t, s, "n"))
	await(t, hints)
}

func TestWatchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, nil)
	proxy := realserver.NewProxy(t, server.Addr())
	s := open(t, dial(t, proxy.Addr(), server, false), nil)
	proxy.Blackhole()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := s.Watch(ctx, "n")
	wantError(t, err, driver.ErrUnavailable, "deadline")
	proxy.Refuse()
	began := time.Now()
	_ = s.Close()
	if d := time.Since(began); d > 30*time.Second {
		t.Errorf("close took %s", d)
	}
	_, err = s.Watch(t.Context(), "n")
	wantError(t, err, driver.ErrClosed, "")
}
