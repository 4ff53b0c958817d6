package broken

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// pushesIn lets some of those who are refused since others are before them in line
// have the name at once.
func (w *world) pushesIn(c *client, which func(held *driver.HeldError, waits bool) bool) {
	c.wait = func(ctx context.Context, r driver.Request, keep time.Duration) (driver.Place, error) {
		w.mu.Lock()
		w.lines[r.Name] = append(w.lines[r.Name], r)
		w.mu.Unlock()
		return c.right.Wait(ctx, r, keep)
	}
	c.acquire = func(ctx context.Context, r driver.Request) (driver.Term, error) {
		t, err := c.right.Acquire(ctx, r)
		var held *driver.HeldError
		if !errors.As(err, &held) || !held.Kept {
			return t, err
		}
		w.mu.Lock()
		line := slices.Clone(w.lines[r.Name])
		w.mu.Unlock()
		if !which(held, slices.Contains(line, r)) {
			return t, err
		}
		for _, other := range line {
			if err := c.right.Leave(ctx, other.Name, other.Attempt); err != nil {
				return driver.Term{}, err
			}
		}
		return c.right.Acquire(ctx, r)
	}
}

func servesAnyWaiter(w *world, c *client) {
	w.pushesIn(c, func(held *driver.HeldError, waits bool) bool { return waits && held.Ahead > 1 })
}

func countsServed(_ *world, c *client) {
	c.acquire = func(ctx context.Context, r driver.Request) (driver.Term, error) {
		waiting, _ := c.right.Waiters(ctx, r.Name, 4)
		t, err := c.right.Acquire(ctx, r)
		if err == nil && len(waiting) > 3 { // of fewer it is told by other clauses as well
			_, err = c.right.Wait(ctx, r, driver.MaxKeep)
		}
		return t, err
	}
}

func servesNewcomers(w *world, c *client) {
	w.pushesIn(c, func(_ *driver.HeldError, waits bool) bool { return !waits })
}

func asksAgainAtTheEnd(_ *world, c *client) {
	c.wait = func(ctx context.Context, r driver.Request, keep time.Duration) (driver.Place, error) {
		if r.Check(c.right.Properties()) == nil {
			_ = c.right.Leave(ctx, r.Name, r.Attempt)
		}
		return c.right.Wait(ctx, r, keep)
	}
}

// keepsInVain leaves a place that is there as it is.
func keepsInVain(w *world, c *client) {
	c.wait = func(ctx context.Context, r driver.Request, keep time.Duration) (driver.Place, error) {
		waiting, err := c.right.Waiters(ctx, r.Name, driver.MaxWaiters)
		at := slices.IndexFunc(waiting, func(w driver.Waiter) bool { return w.Holder == r.Holder })
		if err != nil || at < 0 || keep < driver.MinKeep || keep > driver.MaxKeep {
			return c.right.Wait(ctx, r, keep)
		}
		left := max(waiting[at].Left, driver.MinKeep)
		return c.right.Wait(ctx, r, min(left, keep))
	}
}

func keepsVanished(_ *world, c *client) {
	c.wait = func(ctx context.Context, r driver.Request, keep time.Duration) (driver.Place, error) {
		if keep >= driver.MinKeep && keep < driver.MaxKeep {
			keep = driver.MaxKeep
		}
		return c.right.Wait(ctx, r, keep)
	}
}

// leavesInVain keeps the place of one who leaves from the middle of a line.
func leavesInVain(w *world, c *client) {
	c.wait = func(ctx context.Context, r driver.Request, keep time.Duration) (driver.Place, error) {
		p, err := c.right.Wait(ctx, r, keep)
		if p.Ahead > 0 {
			w.mu.Lock()
			w.lines[r.Name] = append(w.lines[r.Name], r)
			w.mu.Unlock()
		}
		return p, err
	}
	c.leave = func(ctx context.Context, name, attempt string) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		if slices.ContainsFunc(w.lines[name], func(r driver.Request) bool { return r.Attempt == attempt }) {
			return nil
		}
		return c.right.Leave(ctx, name, attempt)
	}
}

func listsNewestFirst(_ *world, c *client) {
	c.waiters = func(ctx context.Context, name string, limit int) ([]driver.Waiter, error) {
		all, err := c.right.Waiters(ctx, name, limit)
		if name != "" && len(all) > 2 { // of two it is told by another clause as well
			slices.Reverse(all)
		}
		return all, err
	}
}

func showsWaitingAttempt(w *world, c *client) {
	c.wait = func(ctx context.Context, r driver.Request, keep time.Duration) (driver.Place, error) {
		w.mu.Lock()
		w.lines[r.Name] = append(w.lines[r.Name], r)
		w.mu.Unlock()
		return c.right.Wait(ctx, r, keep)
	}
	c.waiters = func(ctx context.Context, name string, limit int) ([]driver.Waiter, error) {
		all, err := c.right.Waiters(ctx, name, limit)
		w.mu.Lock()
		defer w.mu.Unlock()
		for i := range all {
			at := slices.IndexFunc(w.lines[name], func(r driver.Request) bool { return r.Holder == all[i].Holder })
			if len(all) > 2 && at >= 0 {
				all[i].Holder = w.lines[name][at].Attempt
			}
		}
		return all, err
	}
}

func clampsKeep(_ *world, c *client) {
	c.wait = func(ctx context.Context, r driver.Request, keep time.Duration) (driver.Place, error) {
		return c.right.Wait(ctx, r, min(max(keep, driver.MinKeep), driver.MaxKeep))
	}
}

func wakesOldestListener(_ *world, c *client) {
	c.watchTurn = func(ctx context.Context, name, _ string) (<-chan struct{}, error) { return c.right.Watch(ctx, name) }
}

func waitsTogether(_ *world, c *client) {
	c.waitAll = func(ctx context.Context, all []driver.Waiting) []driver.Placed {
		placed := c.right.WaitAll(ctx, all)
		for _, p := range placed {
			if p.Err != nil {
				for i := range placed {
					placed[i] = p
				}
			}
		}
		return placed
	}
}

func joinsAnew(_ *world, c *client) {
	c.waitAll = func(ctx context.Context, all []driver.Waiting) []driver.Placed {
		for _, w := range all {
			_ = c.right.Leave(ctx, w.Request.Name, w.Request.Attempt)
		}
		return c.right.WaitAll(ctx, all)
	}
}
