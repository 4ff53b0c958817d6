package redisstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
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

func TestReleaseAndBreakWakeOneOfThoseWhoWait(t *testing.T) {
	t.Parallel()
	server, s := start(t, nil)
	other := open(t, dial(t, server.Addr(), server, false), nil)
	a, b := watch(t, s, t.Context(), "n"), watch(t, s, t.Context(), "n")
	elsewhere := watch(t, other, t.Context(), "n")
	stranger := watch(t, s, t.Context(), "m")
	release(t, other, take(t, other, "n"))
	await(t, a)
	await(t, elsewhere)
	take(t, other, "n")
	if _, err := s.Break(t.Context(), "n", "a test"); err != nil {
		t.Fatal(err)
	}
	await(t, b)
	await(t, elsewhere)
	for who, hints := range map[string]<-chan struct{}{"a": a, "b": b, "elsewhere": elsewhere, "the stranger": stranger} {
		if len(hints) != 0 {
			t.Errorf("%s has a hint too many", who)
		}
	}
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
	if d := time.Since(began); d > 6*time.Second {
		t.Errorf("close took %s", d)
	}
	_, err = s.Watch(t.Context(), "n")
	wantError(t, err, driver.ErrClosed, "")
}
