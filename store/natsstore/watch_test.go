package natsstore_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/natsstore"
)

func watch(t *testing.T, ctx context.Context, s *natsstore.Store, name string) <-chan struct{} {
	t.Helper()
	hints, err := s.Watch(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	return hints
}

func await(t *testing.T, hints <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-hints:
	case <-time.After(10 * time.Second):
		t.Fatalf("no hint of %s", what)
	}
}

func TestWatchTellsOfAnEnd(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	holder, waiter := open(t, s.connect(t, s.addr()), nil), open(t, s.connect(t, s.addr()), nil)
	hints := watch(t, t.Context(), waiter, "x")
	term := acquire(t, holder, "x", "a")
	if _, err := holder.Renew(t.Context(), term, lease); err != nil {
		t.Fatal(err)
	}
	if err := holder.Release(t.Context(), term); err != nil {
		t.Fatal(err)
	}
	await(t, hints, "a release")
	acquire(t, waiter, "x", "b")
	if _, err := holder.Break(t.Context(), "x", "operator"); err != nil {
		t.Fatal(err)
	}
	await(t, hints, "a break")
	if len(hints) != 0 {
		t.Error("one more hint than ends: a grant and a renewal end nothing")
	}
	acquire(t, waiter, "x", "c")
}

func TestWatchMissesNothingFromItsReturn(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	store := open(t, s.connect(t, s.addr()), nil)
	for range 20 {
		term := acquire(t, store, "x", time.Now().Format(time.RFC3339Nano))
		ctx, cancel := context.WithCancel(t.Context())
		hints := watch(t, ctx, store, "x")
		if err := store.Release(t.Context(), term); err != nil {
			t.Fatal(err)
		}
		await(t, hints, "a release right after the watch began")
		cancel()
	}
}

func TestHintsGoAround(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	store := open(t, s.connect(t, s.addr()), nil)
	first, cancel := context.WithCancel(t.Context())
	a := watch(t, first, store, "x")
	b := watch(t, t.Context(), store, "x")
	end := func(attempt string) {
		t.Helper()
		if err := store.Release(t.Context(), acquire(t, store, "x", attempt)); err != nil {
			t.Fatal(err)
		}
	}
	end("1")
	await(t, a, "the first end, for who waited longest")
	end("2")
	await(t, b, "the second end, for the other")
	end("3")
	until(t, "the third hint", func() bool { return len(a) == 1 })
	cancel() // a leaves with a hint that it has not taken
	await(t, b, "a hint that was left behind")
}

// TestCloseLeavesNoGoroutine can't run beside other tests: it looks at all of the process.
func TestCloseLeavesNoGoroutine(t *testing.T) {
	s := startServer(t)
	store := open(t, s.connect(t, s.addr()), nil)
	for _, name := range []string{"x", "y"} {
		watch(t, t.Context(), store, name)
	}
	if !strings.Contains(stacks(), "natsstore.(*Store).listen") {
		t.Fatal("a watch has no goroutine: this test proves nothing")
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	until(t, "a closed store has no goroutine", func() bool { return !strings.Contains(stacks(), "natsstore.(*Store)") })
	if _, err := store.Watch(t.Context(), "x"); err == nil {
		t.Error("a watch after close")
	}
}

// stacks shows every goroutine but the one that asks.
func stacks() string {
	buf := make([]byte, 1<<20)
	all := string(buf[:runtime.Stack(buf, true)])
	_, others, _ := strings.Cut(all, "\n\n")
	return others
}

var _ driver.Watcher = (*natsstore.Store)(nil)
