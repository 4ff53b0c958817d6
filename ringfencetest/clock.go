package ringfencetest

import (
	"sync/atomic"
	"time"
)

// Clock is a wall clock that a test puts forward. Its zero value shows the time.
type Clock struct{ ahead atomic.Int64 }

// started is a time at which tokens exist. A bubble of testing/synctest begins in the
// year 2000, long before the first.
var started = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// bubble is when the time of a bubble begins.
var bubble = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Now is the time, plus what it was put forward by.
func (c *Clock) Now() time.Time {
	now := time.Now()
	if now.Before(started) {
		now = now.Add(started.Sub(bubble))
	}
	return now.Add(time.Duration(c.ahead.Load()))
}

// Advance puts the clock forward.
func (c *Clock) Advance(d time.Duration) {
	if d < 0 {
		panic("ringfencetest: a clock goes forward only; got " + d.String())
	}
	c.ahead.Add(int64(d))
}
