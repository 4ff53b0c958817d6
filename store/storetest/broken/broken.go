// Package broken holds wrong stores, each with one fault that some lock in the
// wild has had. It is the test of package storetest: the suite must fail on
// exactly the clause that a fault breaks, and on none for the right store.
package broken

import (
	"context"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/memstore"
	"github.com/ringfence-go/ringfence/store/storetest"
)

// Fault is one way for a store to be wrong.
type Fault struct {
	Name   string // what the store does
	Clause string // the clause that forbids it

	spoil   func(*world, *client)                // of every client
	skewed  func(*world, *client, time.Duration) // of a client whose caller's clock is off
	restart func(*world)                         // in place of losing everything
	clock   func() time.Time                     // in place of present
}

// Target returns a new store with the fault, for the suite. The zero Fault is
// the right store.
func (f Fault) Target() storetest.Target {
	w := newWorld(f.clock)
	open := func(context.Context) (driver.Store, error) {
		c := newClient(w.memory.Share())
		if f.spoil != nil {
			f.spoil(w, c)
		}
		return c, nil
	}
	openSkewed := func(_ context.Context, skew time.Duration) (driver.Store, error) {
		c := newClient(w.memory.Share())
		if f.skewed != nil {
			f.skewed(w, c, skew)
		}
		return c, nil
	}
	restart := func(context.Context) error {
		if f.restart != nil {
			f.restart(w)
		} else {
			w.lose()
		}
		return nil
	}
	return storetest.Target{Open: open, OpenSkewed: openSkewed, Restart: restart}
}

// present is the time of a store made today, also in a test whose own clock
// begins in the year 2000, where no tick would lend a floor.
func present() time.Time { return time.Now().AddDate(40, 0, 0) }

// past is a clock that lends tokens no floor: they count from 1.
func past() time.Time { return present().AddDate(-60, 0, 0) }

// client is a client of a memory whose methods a fault replaces one by one.
// What is not replaced is right.
type client struct {
	right *memstore.Store

	acquire    func(context.Context, driver.Request) (driver.Term, error)
	renew      func(context.Context, driver.Term, time.Duration) (driver.Term, error)
	release    func(context.Context, driver.Term) error
	inspect    func(context.Context, string) (driver.Record, error)
	properties func() driver.Properties
	close      func() error
	list       func(ctx context.Context, prefix, after string, limit int) ([]driver.Record, error)
	breakName  func(ctx context.Context, name, by string) (driver.Record, error)
	raise      func(context.Context, fence.Token) (fence.Token, error)
	prune      func(ctx context.Context, idle time.Duration, limit int) (int, error)
	watch      func(ctx context.Context, name string) (<-chan struct{}, error)
	renewAll   func(ctx context.Context, all []driver.Renewal) []driver.Renewed
	wait       func(ctx context.Context, r driver.Request, keep time.Duration) (driver.Place, error)
	leave      func(ctx context.Context, name, attempt string) error
	waiters    func(ctx context.Context, name string, limit int) ([]driver.Waiter, error)
	watchTurn  func(ctx context.Context, name, attempt string) (<-chan struct{}, error)
	waitAll    func(ctx context.Context, all []driver.Waiting) []driver.Placed
}

func newClient(right *memstore.Store) *client {
	return &client{
		right:      right,
		acquire:    right.Acquire,
		renew:      right.Renew,
		release:    right.Release,
		inspect:    right.Inspect,
		properties: right.Properties,
		close:      right.Close,
		list:       right.List,
		breakName:  right.Break,
		raise:      right.Raise,
		prune:      right.Prune,
		watch:      right.Watch,
		renewAll:   right.RenewAll,
		wait:       right.Wait,
		leave:      right.Leave,
		waiters:    right.Waiters,
		watchTurn:  right.WatchTurn,
		waitAll:    right.WaitAll,
	}
}

func (c *client) Acquire(ctx context.Context, r driver.Request) (driver.Term, error) {
	return c.acquire(ctx, r)
}

func (c *client) Renew(ctx context.Context, t driver.Term, ttl time.Duration) (driver.Term, error) {
	return c.renew(ctx, t, ttl)
}

func (c *client) Release(ctx context.Context, t driver.Term) error { return c.release(ctx, t) }

func (c *client) Inspect(ctx context.Context, name string) (driver.Record, error) {
	return c.inspect(ctx, name)
}

func (c *client) Properties() driver.Properties { return c.properties() }

func (c *client) Close() error { return c.close() }

func (c *client) List(ctx context.Context, prefix, after string, limit int) ([]driver.Record, error) {
	return c.list(ctx, prefix, after, limit)
}

func (c *client) Break(ctx context.Context, name, by string) (driver.Record, error) {
	return c.breakName(ctx, name, by)
}

func (c *client) Raise(ctx context.Context, above fence.Token) (fence.Token, error) {
	return c.raise(ctx, above)
}

func (c *client) Identity(ctx context.Context) (driver.Identity, error) { return c.right.Identity(ctx) }

func (c *client) Prune(ctx context.Context, idle time.Duration, limit int) (int, error) {
	return c.prune(ctx, idle, limit)
}

func (c *client) Watch(ctx context.Context, name string) (<-chan struct{}, error) {
	return c.watch(ctx, name)
}

func (c *client) RenewAll(ctx context.Context, all []driver.Renewal) []driver.Renewed {
	return c.renewAll(ctx, all)
}

func (c *client) Wait(ctx context.Context, r driver.Request, keep time.Duration) (driver.Place, error) {
	return c.wait(ctx, r, keep)
}

func (c *client) Leave(ctx context.Context, name, attempt string) error {
	return c.leave(ctx, name, attempt)
}

func (c *client) Waiters(ctx context.Context, name string, limit int) ([]driver.Waiter, error) {
	return c.waiters(ctx, name, limit)
}

func (c *client) WatchTurn(ctx context.Context, name, attempt string) (<-chan struct{}, error) {
	return c.watchTurn(ctx, name, attempt)
}

func (c *client) WaitAll(ctx context.Context, all []driver.Waiting) []driver.Placed {
	return c.waitAll(ctx, all)
}
