package e2e

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/sqlstore"
)

// TestManyStandInOneLine has clients of several stores join, keep, ask, leave and release at
// the same time. Whatever locks their statements meet, nobody is told of them, and everybody
// is served.
func TestManyStandInOneLine(t *testing.T) {
	t.Parallel()
	const stores, turns = 6, 2
	onEach(t, func(t *testing.T, d sqlstore.Dialect, connect func() *sql.DB) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		var inside, served atomic.Int32
		var all sync.WaitGroup
		for range stores {
			s := mustOpen(t, connect(), d, nil)
			all.Go(func() {
				for turn := range turns {
					term, err := inTurn(ctx, s, turn%2 == 1)
					if err != nil {
						t.Errorf("wait for a turn: %v", err)
						return
					}
					if inside.Add(1) != 1 {
						t.Error("two hold the name at once")
					}
					inside.Add(-1)
					served.Add(1)
					if err := s.Release(ctx, term); err != nil {
						t.Errorf("release: %v", err)
						return
					}
				}
			})
		}
		all.Wait()
		if n := served.Load(); n != stores*turns && !t.Failed() {
			t.Errorf("%d turns were served; want %d", n, stores*turns)
		}
	})
}

// inTurn waits for the name, and where it hesitates leaves the line once and joins again.
func inTurn(ctx context.Context, s *sqlstore.Store, hesitates bool) (driver.Term, error) {
	r, idle := request("one"), request("idle")
	for {
		placed := s.WaitAll(ctx, []driver.Waiting{{Request: r, Keep: time.Minute}, {Request: idle, Keep: time.Minute}})
		if err := errors.Join(placed[0].Err, placed[1].Err); err != nil {
			return driver.Term{}, err
		}
		if hesitates {
			hesitates = false
			if err := s.Leave(ctx, r.Name, r.Attempt); err != nil {
				return driver.Term{}, err
			}
			continue
		}
		t, err := s.Acquire(ctx, r)
		if !errors.Is(err, driver.ErrHeld) {
			return t, errors.Join(err, s.Leave(ctx, idle.Name, idle.Attempt))
		}
	}
}
