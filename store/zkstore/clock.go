package zkstore

import (
	"context"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/store/internal/pause"
)

// clock is what a store knows of the leader's time. ZooKeeper tells it in the answer
// to a write, and nowhere else. Between two writes this process knows a time that the
// leader's clock can't have passed yet. That may refuse an acquire, and so spares
// writes; a name is given by the leader's own stamp alone.
type clock struct {
	now     func() time.Time
	reading chan struct{} // holds something while one reads

	mu    sync.Mutex
	stamp time.Time // the leader's
	sent  time.Time // ours, before the write that has it
	epoch uint64
}

func newClock(now func() time.Time) *clock {
	return &clock{now: now, reading: make(chan struct{}, 1)}
}

// maxAge is how long a stamp is good for: what a jump of the leader's clock is seen
// late by.
const maxAge = time.Second

// note keeps the stamp of a write that began at the time sent.
func (c *clock) note(stamp, sent time.Time, epoch uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if epoch > c.epoch || epoch == c.epoch && sent.After(c.sent) {
		c.stamp, c.sent, c.epoch = stamp, sent, epoch
	}
}

// tells is a time of the leader, if what is known tells whether a term that ends at end
// is over: a stamp that has reached its end, or a time before it that the leader's
// clock has not passed, since it was taken after the write was sent. Elapsed time is
// what the monotonic or the wall clock counts, whichever is more.
func (c *clock) tells(end time.Time, epoch uint64) (at time.Time, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != epoch || c.stamp.IsZero() {
		return at, false
	}
	if !c.stamp.Before(end) {
		return c.stamp, true
	}
	now := c.now()
	age := max(now.Sub(c.sent), now.Round(0).Sub(c.sent.Round(0)))
	at = c.stamp.Add(age + 2*unit).Truncate(unit)
	return at, age < maxAge && at.Before(end)
}

// about is the leader's time as far as this process can tell without a request, for people.
func (c *clock) about() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stamp.IsZero() {
		return c.now()
	}
	return c.stamp.Add(c.now().Sub(c.sent))
}

// timeFor is a time of the leader, good for telling whether a term that ends at end
// is over. It costs a write, unless that is known.
func (s *Store) timeFor(ctx context.Context, end time.Time) (time.Time, error) {
	if at, known := s.clock.tells(end, s.link.now()); known {
		return at, nil
	}
	select {
	case s.clock.reading <- struct{}{}:
		defer func() { <-s.clock.reading }()
	case <-ctx.Done():
		return time.Time{}, before(ctx.Err())
	}
	if at, known := s.clock.tells(end, s.link.now()); known {
		return at, nil // another call has just read it
	}
	return s.readClock(ctx)
}

// readClock learns the leader's time by a write that says nothing.
func (s *Store) readClock(ctx context.Context) (time.Time, error) {
	for range maxTries {
		done, err := s.commit(ctx, 0, &zk.SetDataRequest{Path: s.paths.clock(), Version: -1})
		switch {
		case err == nil:
			return stampOf(done.of[0].Stat), nil
		case done.failed < 0:
			return time.Time{}, before(err)
		}
		if err := s.ensure(ctx, s.paths.clock()); err != nil {
			return time.Time{}, err
		}
	}
	return time.Time{}, pause.ErrBusy
}
