package redisstore

import (
	"context"
	"math/rand/v2"
	"time"
)

// pause spaces the tries of one call: at once, then after a millisecond, twice
// that and so on up to maxPause, each with jitter.
type pause struct {
	next time.Duration
	lost int // tries whose outcome is unknown
}

const maxPause = 32 * time.Millisecond

// wait reports whether there is time for another try.
func (p *pause) wait(ctx context.Context, closed <-chan struct{}) bool {
	d := p.next
	p.next = min(max(2*d, time.Millisecond), maxPause)
	if d == 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d/2 + rand.N(d))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-closed:
		return true // the next try will say so
	case <-ctx.Done():
		return false
	}
}
