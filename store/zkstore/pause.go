package zkstore

import (
	"context"
	"math/rand/v2"
	"time"
)

// pause spaces the tries of one call: at once, then after a millisecond, twice
// that and so on up to maxPause, each with jitter.
type pause struct {
	next  time.Duration
	tries int
}

const (
	maxPause = 32 * time.Millisecond
	// maxTries is after how many tries a call that always finds the record changed
	// gives up: by then others have taken as many steps on its name.
	maxTries = 64
)

// wait returns when it is time for another try, or says why there is none.
func (p *pause) wait(ctx context.Context) error {
	d := p.next
	p.next = min(max(2*d, time.Millisecond), maxPause)
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
