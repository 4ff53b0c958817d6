package filelock

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestOneAtATime(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "lock")
	var inside atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				lock, err := Take(t.Context(), name)
				if err != nil {
					t.Error(err)
					return
				}
				if n := inside.Add(1); n != 1 {
					t.Errorf("%d at once", n)
				}
				inside.Add(-1)
				_ = lock.Close()
			}
		})
	}
	all.Wait()
}

func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "lock")
	held, err := Take(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := Take(ctx, name); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if _, err := Take(t.Context(), filepath.Join(name, "below")); err == nil {
		t.Error("a lock below a file was taken")
	}
}
