package broken

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// judgesByCaller takes a lease for over when the caller's clock says so.
func judgesByCaller(w *world, c *client, skew time.Duration) {
	c.acquire = func(ctx context.Context, r driver.Request) (driver.Term, error) {
		rec, err := c.right.Inspect(ctx, r.Name)
		if err == nil && rec.State == driver.Held && rec.ExpiresAt.Before(w.clock().Add(skew)) {
			return steal(ctx, c, r)
		}
		return c.right.Acquire(ctx, r)
	}
}

// writesByCaller sends the end of a lease instead of its length.
func writesByCaller(w *world, c *client, skew time.Duration) {
	c.acquire = func(ctx context.Context, r driver.Request) (driver.Term, error) {
		asked := r.TTL
		r.TTL = max(asked+skew, c.right.Properties().MinTTL)
		t, err := c.right.Acquire(ctx, r)
		if err == nil && asked+skew <= 0 {
			return t, c.right.Release(ctx, t)
		}
		return t, err
	}
}

func deniesGrant(_ *world, c *client) {
	c.acquire = func(ctx context.Context, r driver.Request) (driver.Term, error) {
		t, err := c.right.Acquire(context.WithoutCancel(ctx), r)
		if err == nil && ctx.Err() != nil {
			return driver.Term{}, &driver.Fault{Kind: driver.ErrUnavailable, Err: ctx.Err()}
		}
		return t, err
	}
}

func ignoresCancel(_ *world, c *client) {
	c.acquire = func(ctx context.Context, r driver.Request) (driver.Term, error) {
		if ctx.Err() != nil {
			<-time.After(time.Minute)
		}
		return c.right.Acquire(ctx, r)
	}
}

func inspectWrites(_ *world, c *client) {
	c.inspect = func(ctx context.Context, name string) (driver.Record, error) {
		rec, err := c.right.Inspect(ctx, name)
		if err != nil || rec.State != driver.Free {
			return rec, err
		}
		t, err := c.right.Acquire(ctx, driver.Request{Name: name, Attempt: rand.Text(), TTL: time.Minute})
		if err != nil {
			return rec, err
		}
		return rec, c.right.Release(ctx, t)
	}
}

func showsAttempt(w *world, c *client) {
	c.acquire = func(ctx context.Context, r driver.Request) (driver.Term, error) {
		t, err := c.right.Acquire(ctx, r)
		if err == nil {
			w.note(t)
		}
		return t, err
	}
	c.inspect = func(ctx context.Context, name string) (driver.Record, error) {
		rec, err := c.right.Inspect(ctx, name)
		if rec.State == driver.Held {
			rec.EndedBy = w.attemptOf(fence.Fence{Name: name, Token: rec.Token})
		}
		return rec, err
	}
}

func declaresLongerMinimum(_ *world, c *client) {
	c.properties = func() driver.Properties {
		p := c.right.Properties()
		p.MinTTL *= 2
		return p
	}
}

func roundsDown(_ *world, c *client) {
	c.acquire = func(ctx context.Context, r driver.Request) (driver.Term, error) {
		if p := c.right.Properties(); p.CheckTTL(r.TTL) == nil {
			r.TTL = r.TTL.Truncate(p.Resolution)
		}
		return c.right.Acquire(ctx, r)
	}
}

func declaresDurable(_ *world, c *client) {
	c.properties = func() driver.Properties {
		p := c.right.Properties()
		p.Durable = true
		return p
	}
}

func closesOnce(_ *world, c *client) {
	closed := false
	c.close = func() error {
		if closed {
			return errors.New("already closed")
		}
		closed = true
		return c.right.Close()
	}
}

func answersAfterClose(_ *world, c *client) { c.inspect = c.right.Share().Inspect }
