package ringfence

import (
	"math/rand/v2"
	"time"
)

// instant is one reading of the holder's two clocks. The monotonic one may stand
// still while the machine sleeps; the wall clock may be set.
type instant struct {
	at   time.Time // with its monotonic reading
	wall time.Time
}

// elapsed is how much time a pessimist says has passed: on whichever clock moved more.
func (now instant) elapsed(since instant) time.Duration {
	return max(now.at.Sub(since.at), now.wall.Round(0).Sub(since.wall.Round(0)))
}

// leastElapsed is how much time has passed for certain: on whichever clock moved less.
func (now instant) leastElapsed(since instant) time.Duration {
	return min(now.at.Sub(since.at), now.wall.Round(0).Sub(since.wall.Round(0)))
}

// margin is what a holder takes off what the store says is left: the store's
// rounding, and two clocks whose rates differ by up to 1 in 1,000. (A clock that
// is being slewed by NTP runs wrong by at most 1 in 2,000.)
func margin(ttl, resolution time.Duration) time.Duration { return resolution + ttl/1000 }

// jitter spreads d over d ± d/10, so that many holders don't keep step.
func jitter(d time.Duration) time.Duration {
	return d*9/10 + rand.N(d/5+1)
}

// sleep waits for d and reports whether it did: false means that done came first.
func sleep(done <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-done:
		return false
	}
}
