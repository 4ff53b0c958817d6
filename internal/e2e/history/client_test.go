package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/sqlguard"
	"github.com/ringfence-go/ringfence/internal/e2e/system"
)

const (
	name     = "job"
	leaseTTL = 120 * time.Millisecond
)

// client acquires the lease again and again, and in each term reads the register
// and writes what follows from it, a few times. It is sometimes paused.
type client struct {
	id     int
	random *rand.Rand
	locker *ringfence.Locker
	report system.Report
	guard  *sqlguard.Guard
	seen   *record
	writes int
}

// run ends with ctx, after the term that it is in.
func (c *client) run(ctx context.Context) {
	for ctx.Err() == nil {
		call := c.seen.now()
		lease, err := c.locker.Acquire(ctx, name, time.Second, ringfence.Hold{TTL: leaseTTL})
		if err != nil {
			continue // held for longer, or cut off
		}
		c.seen.granted(int64(lease.Fence().Token), call)
		c.term(lease)
		if c.random.IntN(4) == 0 {
			lease.Abandon() // it runs out
		} else {
			c.bounded(func(ctx context.Context) { _ = lease.Release(ctx) })
		}
	}
}

// term is one holding: establish, then read and write. A holder that looks at its
// lease's context between two steps is left out on purpose.
func (c *client) term(lease *ringfence.Lease) {
	var err error
	c.bounded(func(ctx context.Context) { _, err = c.guard.Establish(ctx, c.report.DB, lease.Fence()) })
	if err != nil {
		return // superseded, or in doubt: nothing was read yet
	}
	for seq := range uint64(1 + c.random.IntN(3)) {
		c.pause()
		call := c.seen.now()
		value, ok := c.read(call)
		if !ok {
			return
		}
		c.pause()
		if !c.write(guard.Write{Fence: lease.Fence(), Seq: seq + 1, Key: c.next()}, value) {
			return
		}
	}
}

// pause is mostly nothing, often a moment, and sometimes longer than the lease.
func (c *client) pause() {
	switch n := c.random.IntN(20); {
	case n < 2:
		system.Pass(leaseTTL + time.Duration(c.random.IntN(200))*time.Millisecond)
	case n < 10:
		system.Pass(time.Duration(c.random.IntN(20)) * time.Millisecond)
	}
}

// next is a value that nobody else writes.
func (c *client) next() string {
	c.writes++
	return fmt.Sprintf("%d-%d", c.id, c.writes)
}

func (c *client) read(call time.Duration) (value string, ok bool) {
	var err error
	c.bounded(func(ctx context.Context) { value, err = c.report.Body(ctx, name) })
	if err == nil {
		c.seen.add(c.id, call, step{To: value})
	}
	return value, err == nil
}

// write changes the register from a value that was read to the write's key, and
// reports whether the term may go on. A write in doubt is sent again a few times.
func (c *client) write(w guard.Write, from string) bool {
	call, s := c.seen.now(), step{Write: true, From: from, To: w.Key}
	doubt := false
	for range 4 {
		var v fence.Verdict
		var err error
		c.bounded(func(ctx context.Context) {
			v, err = c.guard.InTx(ctx, c.report.DB, w, func(tx *sql.Tx) error { return c.report.Put(ctx, tx, name, w.Key) })
		})
		switch {
		case err == nil, v.Landed:
			c.seen.add(c.id, call, s)
			return err == nil
		case errors.Is(err, fence.ErrRefused):
			return false // never applied, and never will be
		}
		doubt = doubt || errors.Is(err, guard.ErrUnknown)
	}
	if s.Unknown = doubt; doubt {
		c.seen.add(c.id, call, s)
	}
	return false
}

// bounded gives a step half a second, also when the run is over.
func (c *client) bounded(f func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	f(ctx)
}
