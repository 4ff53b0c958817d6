package ringfence

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// watched is a store that gives hints when the test says so.
type watched struct {
	*faulty
	hints chan struct{}
	fail  func(ctx context.Context) error // nil: the watch begins at once

	mu   sync.Mutex
	open int // watches that have not ended
}

func (w *watched) Watch(ctx context.Context, _ string) (<-chan struct{}, error) {
	if w.fail != nil {
		if err := w.fail(ctx); err != nil {
			return nil, err
		}
	}
	w.count(1)
	context.AfterFunc(ctx, func() { w.count(-1) })
	return w.hints, nil
}

func (w *watched) count(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open += n
	return w.open
}

// waiting starts a waiter for a name that is held, and lets it come to rest in its longest pause.
func waiting(t *testing.T, w *watched) (holder *Lease, got chan *Lease) {
	b := newBench(t)
	w.faulty, w.hints = b.link, make(chan struct{}, 1)
	l, err := New(w, nil)
	if err != nil {
		t.Fatal(err)
	}
	if holder, err = l.TryAcquire(t.Context(), "report", Hold{TTL: time.Hour}); err != nil {
		t.Fatal(err)
	}
	got = make(chan *Lease, 1)
	go func() {
		lease, err := l.Acquire(t.Context(), "report", time.Hour, Hold{TTL: time.Minute})
		if err != nil {
			t.Error(err)
		}
		got <- lease
	}()
	time.Sleep(10 * time.Second)
	synctest.Wait()
	return holder, got
}

func TestHintEndsAPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &watched{}
		holder, got := waiting(t, w)
		if err := holder.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		w.hints <- struct{}{}
		lease := <-got
		if took := time.Since(begun); took != 0 {
			t.Errorf("granted %s after the hint; want at once", took)
		}
		synctest.Wait()
		if n := w.count(0); n != 0 {
			t.Errorf("%d watches go on after the acquire", n)
		}
		lease.Abandon()
	})
}

func TestLostHintOnlyCostsAPause(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(context.Context) error{
		"lost":    nil,
		"refused": func(context.Context) error { return errLink },
		"hanging": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				holder, got := waiting(t, &watched{fail: fail})
				if err := holder.Release(t.Context()); err != nil {
					t.Fatal(err)
				}
				longest := maxPause
				if fail == nil {
					longest = watchedPause
				}
				begun := time.Now()
				lease := <-got
				if took := time.Since(begun); took > longest*3/2 {
					t.Errorf("granted %s after the release; want one pause", took)
				}
				lease.Abandon()
			})
		})
	}
}

// Whoever listens for hints asks less often: two hundred that wait must not keep a
// store busy.
func TestWhoListensAsksSeldom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &watched{}
		holder, got := waiting(t, w)
		before := w.faulty.count("acquire")
		time.Sleep(100 * watchedPause)
		if asked := w.faulty.count("acquire") - before; asked < 50 || asked > 220 {
			t.Errorf("asked %d times within 100 pauses", asked)
		}
		if err := holder.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.hints <- struct{}{}
		(<-got).Abandon()
	})
}

// A name that was released between the refusal and the start of the watch gives no
// hint any more, so the waiter asks once more before it rests.
func TestReleaseBeforeTheWatchBeginsIsSeen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		holder, err := b.TryAcquire(t.Context(), "report", Hold{TTL: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		w := &watched{faulty: b.link, fail: func(ctx context.Context) error { return holder.Release(ctx) }}
		l, err := New(w, nil)
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		lease, err := l.Acquire(t.Context(), "report", time.Minute, Hold{TTL: time.Minute})
		if err != nil || time.Since(begun) != 0 {
			t.Errorf("%v after %s; want the lease at once", err, time.Since(begun))
		}
		lease.Abandon()
	})
}

func TestWatchKeepsToTheWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &watched{fail: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
		w.faulty = newBench(t).link
		l, err := New(w, nil)
		if err != nil {
			t.Fatal(err)
		}
		holder, err := l.TryAcquire(t.Context(), "report", Hold{TTL: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		_, err = l.Acquire(t.Context(), "report", 100*time.Millisecond, Hold{TTL: time.Minute})
		if took := time.Since(begun); !errors.Is(err, ErrHeld) || took > 150*time.Millisecond {
			t.Errorf("%v after %s", err, took)
		}
		holder.Abandon()
	})
}

var _ driver.Watcher = (*watched)(nil)
