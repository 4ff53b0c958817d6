package broken

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

func showsNoHolder(_ *world, c *client) {
	c.inspect = func(ctx context.Context, name string) (driver.Record, error) {
		rec, err := c.right.Inspect(ctx, name)
		if rec.State == driver.Held {
			rec.Holder = ""
		}
		return rec, err
	}
}

func trustsLabel(_ *world, c *client) {
	c.acquire = func(ctx context.Context, r driver.Request) (driver.Term, error) {
		t, err := c.right.Acquire(ctx, r)
		var held *driver.HeldError
		if errors.As(err, &held) && held.Holder == r.Holder {
			return driver.Term{Fence: fence.Fence{Name: r.Name, Token: held.Token}, Attempt: r.Attempt, Remaining: held.Remaining}, nil
		}
		return t, err
	}
}

// reusesAfter forgets the counter of a name, though not the floor of the store.
func reusesAfter(end driver.State) func(*world, *client) {
	return func(w *world, c *client) {
		w.shows(c, func(before driver.Record) (fence.Token, bool) {
			id, err := c.right.Identity(context.Background())
			return before.Token, err == nil && before.State == end && before.Token > id.Floor
		})
	}
}

func reusesPruned(w *world, c *client) {
	w.shows(c, func(before driver.Record) (fence.Token, bool) {
		w.mu.Lock()
		defer w.mu.Unlock()
		token, pruned := w.pruned[before.Name]
		return token, pruned && before.State == driver.Free
	})
	c.prune = func(ctx context.Context, idle time.Duration, limit int) (int, error) {
		all, err := c.right.List(ctx, "", "", 1<<20)
		if err != nil {
			return 0, err
		}
		for _, rec := range all {
			exchange(w, w.pruned, rec.Name, rec.Token)
		}
		return c.right.Prune(ctx, idle, limit)
	}
}

func foldsCase(w *world, c *client) {
	c.acquire = func(ctx context.Context, r driver.Request) (driver.Term, error) {
		twin := exchange(w, w.folded, strings.ToLower(r.Name), r.Name)
		if twin != "" && twin != r.Name {
			if rec, err := c.right.Inspect(ctx, twin); err == nil && rec.State == driver.Held {
				return driver.Term{}, heldBy(r.Name, rec)
			}
		}
		return c.right.Acquire(ctx, r)
	}
}

func trimsNames(_ *world, c *client) {
	c.acquire = func(ctx context.Context, r driver.Request) (driver.Term, error) {
		r.Name = strings.TrimSpace(r.Name)
		return c.right.Acquire(ctx, r)
	}
}

func defaultsTTL(_ *world, c *client) {
	c.acquire = func(ctx context.Context, r driver.Request) (driver.Term, error) {
		if r.TTL == 0 {
			r.TTL = time.Minute
		}
		return c.right.Acquire(ctx, r)
	}
}

func acceptsNoAttempt(_ *world, c *client) {
	c.acquire = func(ctx context.Context, r driver.Request) (driver.Term, error) {
		if r.Attempt == "" {
			r.Attempt = rand.Text()
		}
		return c.right.Acquire(ctx, r)
	}
}

func repeatExtends(_ *world, c *client) {
	c.acquire = func(ctx context.Context, r driver.Request) (driver.Term, error) {
		before, _ := c.right.Inspect(ctx, r.Name)
		t, err := c.right.Acquire(ctx, r)
		if err == nil && t.Token == before.Token {
			return c.right.Renew(ctx, t, r.TTL)
		}
		return t, err
	}
}

func attemptPerClient(w *world, c *client) {
	c.acquire = func(ctx context.Context, r driver.Request) (driver.Term, error) {
		t, err := c.right.Acquire(ctx, r)
		if err != nil {
			return t, err
		}
		first := exchange(w, w.clients, r.Attempt, c)
		if first == nil || first == c {
			return t, nil
		}
		exchange(w, w.clients, r.Attempt, first)
		rec, _ := c.right.Inspect(ctx, r.Name)
		return driver.Term{}, heldBy(r.Name, rec)
	}
}

func regrantsSpent(_ *world, c *client) {
	c.acquire = func(ctx context.Context, r driver.Request) (driver.Term, error) {
		t, err := c.right.Acquire(ctx, r)
		if endedAs(err, driver.EndReleased) || endedAs(err, driver.EndExpired) {
			again := r
			again.Attempt = rand.Text()
			return c.right.Acquire(ctx, again)
		}
		return t, err
	}
}

// looksThenWrites lets everybody look before anybody writes.
func looksThenWrites(_ *world, c *client) {
	c.acquire = func(ctx context.Context, r driver.Request) (driver.Term, error) {
		seen, err := c.right.Inspect(ctx, r.Name)
		if err != nil || seen.State == driver.Held {
			return c.right.Acquire(ctx, r)
		}
		<-time.After(time.Millisecond)
		t, err := c.right.Acquire(ctx, r)
		if errors.Is(err, driver.ErrHeld) {
			return steal(ctx, c, r)
		}
		return t, err
	}
}

func letsGoEarly(_ *world, c *client) {
	c.acquire = func(ctx context.Context, r driver.Request) (driver.Term, error) {
		t, err := c.right.Acquire(ctx, r)
		var held *driver.HeldError
		if errors.As(err, &held) && held.Remaining < 50*time.Millisecond {
			return steal(ctx, c, r)
		}
		return t, err
	}
}
