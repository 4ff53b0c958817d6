package scenario

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime/pprof"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/e2e/system"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// behindProxy is a PostgreSQL store behind a network that can be broken, and the
// same one in the open. Its one connection is warm.
type behindProxy struct {
	*sqlstore.Store
	db    *sql.DB
	proxy *realserver.Proxy
	open  *sqlstore.Store
}

func newBehindProxy(t *testing.T) behindProxy {
	t.Helper()
	d := system.Postgres(t)
	b := behindProxy{open: d.Store(t), proxy: realserver.NewProxy(t, d.Upstream())}
	b.db = d.At(b.proxy.Addr()).Open(t)
	b.Store = d.StoreOn(t, b.db)
	return b
}

func request(attempt string) driver.Request {
	return driver.Request{Name: "job", Attempt: attempt, Holder: "holder", TTL: time.Minute}
}

// TestScenario_R03_StoreNeverAnswers: the store takes the request and no answer
// comes. Each call ends with its context of a second, in doubt.
func TestScenario_R03_StoreNeverAnswers(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(context.Context, behindProxy, driver.Term) error{
		"acquire": func(ctx context.Context, b behindProxy, _ driver.Term) error {
			_, err := b.Acquire(ctx, driver.Request{Name: "other", Attempt: "a", TTL: time.Minute})
			return err
		},
		"renew": func(ctx context.Context, b behindProxy, term driver.Term) error {
			_, err := b.Renew(ctx, term, time.Minute)
			return err
		},
		"release": func(ctx context.Context, b behindProxy, term driver.Term) error { return b.Release(ctx, term) },
		"acquire by a locker": func(ctx context.Context, b behindProxy, _ driver.Term) error {
			l, err := ringfence.New(b.Store, nil)
			if err != nil {
				return err
			}
			_, err = l.TryAcquire(ctx, "other", long)
			closing, cancel := context.WithCancel(ctx)
			cancel() // nobody waits for what it may still give back
			_ = l.Close(closing)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBehindProxy(t)
			term, err := b.Acquire(t.Context(), request("a"))
			if err != nil {
				t.Fatal(err)
			}
			b.proxy.Blackhole()
			label, done := "R03 "+name, make(chan struct{})
			begun := time.Now()
			go pprof.Do(t.Context(), pprof.Labels("call", label), func(ctx context.Context) {
				defer close(done)
				ctx, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				err = call(ctx, b, term)
			})
			select {
			case <-done:
			case <-time.After(20 * time.Second):
				t.Fatal("it did not return")
			}
			if took := time.Since(begun); took < time.Second || took > 2*time.Second {
				t.Errorf("returned after %s; want 1 s and a little", took)
			}
			if !errors.Is(err, driver.ErrUnknown) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v; want unknown, by the end of the context", err)
			}
			wantNoGoroutine(t, label, "ringfence/store/sqlstore.")
			b.proxy.Refuse() // pgx waits a while for the network to close a connection in order
			wantNoGoroutine(t, label, "")
		})
	}
}

// wantNoGoroutine waits until none that was started under a label is left with
// a function of that name on its stack.
func wantNoGoroutine(t *testing.T, label, function string) {
	t.Helper()
	var left []string
	err := system.Poll(func() (bool, error) {
		left = nil
		var all bytes.Buffer
		_ = pprof.Lookup("goroutine").WriteTo(&all, 1)
		for stack := range strings.SplitSeq(all.String(), "\n\n") {
			if strings.Contains(stack, fmt.Sprintf("%q", label)) && strings.Contains(stack, function) {
				left = append(left, stack)
			}
		}
		return len(left) == 0, nil
	})
	if err != nil {
		t.Errorf("%s: a goroutine with %q is left: %v\n%s", label, function, err, strings.Join(left, "\n\n"))
	}
}

// TestScenario_R10_ReplyLost: the store grants, and the caller never hears of it.
func TestScenario_R10_ReplyLost(t *testing.T) {
	t.Parallel()
	t.Run("asked again", func(t *testing.T) {
		t.Parallel()
		b := newBehindProxy(t)
		unanswered(t, b, func(ctx context.Context) error {
			_, err := b.Acquire(ctx, request("a"))
			return err
		})
		system.AwaitState(t, b.open, "job", driver.Held)
		granted, err := b.open.Inspect(t.Context(), "job")
		if err != nil {
			t.Fatal(err)
		}
		term, err := b.Acquire(t.Context(), request("a"))
		if err != nil || term.Token != granted.Token {
			t.Errorf("the same attempt got token %s (error %v); it was granted %s", term.Token, err, granted.Token)
		}
		if term, err := b.Acquire(t.Context(), request("b")); !errors.Is(err, driver.ErrHeld) {
			t.Errorf("another attempt got %+v (error %v)", term, err)
		}
	})
	t.Run("never asked again", func(t *testing.T) {
		t.Parallel()
		b := newBehindProxy(t)
		var reclaimed atomic.Int64
		locker := newLocker(t, b.Store, &ringfence.Options{OnEvent: func(e ringfence.Event) {
			if e.Kind == ringfence.EventReclaimed {
				reclaimed.Add(1)
			}
		}})
		unanswered(t, b, func(ctx context.Context) error {
			_, err := locker.TryAcquire(ctx, "job", long)
			return err
		})
		begun := time.Now()
		system.AwaitState(t, b.open, "job", driver.Released)
		if took := time.Since(begun); took > long.TTL/2 {
			t.Errorf("nobody held the name for %s of a lease of %s", took, long.TTL)
		}
		system.Await(t, "giving it back is told", func() bool { return reclaimed.Load() == 1 })
		if err := locker.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// unanswered makes a call whose reply is lost, and then heals the network.
func unanswered(t *testing.T, b behindProxy, call func(context.Context) error) {
	t.Helper()
	// The name was used and the statement prepared before, so that one execution
	// grants it, and that is what gets no reply.
	term, err := b.Acquire(t.Context(), request("warm"))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Release(t.Context(), term); err != nil {
		t.Fatal(err)
	}
	b.proxy.DropReplies()
	defer b.proxy.Heal()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := call(ctx); !errors.Is(err, driver.ErrUnknown) {
		t.Fatalf("got %v; want unknown", err)
	}
}
