package broken

import (
	"context"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

func zeroDeletes(_ *world, c *client) {
	c.renew = func(ctx context.Context, t driver.Term, ttl time.Duration) (driver.Term, error) {
		if ttl == 0 {
			return t, c.right.Release(ctx, t)
		}
		return c.right.Renew(ctx, t, ttl)
	}
}

func renewsInVain(_ *world, c *client) {
	c.renew = func(ctx context.Context, t driver.Term, ttl time.Duration) (driver.Term, error) {
		rec, err := c.right.Inspect(ctx, t.Name)
		if p := c.right.Properties(); err == nil && p.CheckTTL(ttl) == nil && p.CheckTTL(rec.Remaining) == nil {
			ttl = min(ttl, rec.Remaining)
		}
		return c.right.Renew(ctx, t, ttl)
	}
}

func releasesAnyTerm(_ *world, c *client) {
	c.release = func(ctx context.Context, t driver.Term) error {
		err := c.right.Release(ctx, t)
		rec, _ := c.right.Inspect(ctx, t.Name)
		if endedAs(err, driver.EndSuperseded) && rec.State == driver.Held && rec.Token > t.Token {
			_, err = c.right.Break(ctx, t.Name, "fault")
		}
		return err
	}
}

func renewsOlderTerm(_ *world, c *client) {
	c.renew = func(ctx context.Context, t driver.Term, ttl time.Duration) (driver.Term, error) {
		renewed, err := c.right.Renew(ctx, t, ttl)
		rec, _ := c.right.Inspect(ctx, t.Name)
		if endedAs(err, driver.EndSuperseded) && rec.State == driver.Released && rec.Token > t.Token {
			return revive(ctx, c, t, ttl)
		}
		return renewed, err
	}
}

func revivesAfter(cause driver.EndCause) func(*world, *client) {
	return func(_ *world, c *client) {
		c.renew = func(ctx context.Context, t driver.Term, ttl time.Duration) (driver.Term, error) {
			renewed, err := c.right.Renew(ctx, t, ttl)
			if endedAs(err, cause) {
				return revive(ctx, c, t, ttl)
			}
			return renewed, err
		}
	}
}

func releasesTwice(_ *world, c *client) {
	c.release = func(ctx context.Context, t driver.Term) error {
		if err := c.right.Release(ctx, t); !endedAs(err, driver.EndReleased) {
			return err
		}
		return nil
	}
}

func ignoresAttempt(w *world, c *client) {
	c.acquire = func(ctx context.Context, r driver.Request) (driver.Term, error) {
		t, err := c.right.Acquire(ctx, r)
		if err == nil {
			w.note(t)
		}
		return t, err
	}
	proven := func(t driver.Term) driver.Term {
		if attempt := w.attemptOf(t.Fence); attempt != "" {
			t.Attempt = attempt
		}
		return t
	}
	c.renew = func(ctx context.Context, t driver.Term, ttl time.Duration) (driver.Term, error) {
		return c.right.Renew(ctx, proven(t), ttl)
	}
	c.release = func(ctx context.Context, t driver.Term) error { return c.right.Release(ctx, proven(t)) }
}
