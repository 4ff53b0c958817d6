package casstore

import (
	"context"
	"math/rand/v2"
	"time"
)

// pause spaces the tries of one call: at once, then after 10 ms, twice that and so
// on up to maxPause, each with jitter.
type pause struct {
	next  time.Duration
	tries int
}

const (
	maxPause = time.Second
	// maxTries is after how many tries a call gives up that always finds the record
	// changed, or the bucket busy: some seven seconds.
	maxTries = 16
)

// wait returns when it is time for another try, or says why there is none.
func (p *pause) wait(ctx context.Context) error {
	d := p.next
	p.next = min(max(2*d, 10*time.Millisecond), maxPause)
	if p.tries++; p.tries >= maxTries {
		return errBusy
	}
	if d == 0 {
		return before(ctx.Err())
	}
	t := time.NewTimer(d/2 + rand.N(d))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return before(ctx.Err())
	}
}
