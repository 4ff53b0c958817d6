// Package pause spaces the tries of one call.
package pause

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// Pause is the time between one try and the next: none after the first, then First,
// then twice that and so on up to Longest, each with jitter.
type Pause struct {
	First   time.Duration // Defaults to a millisecond.
	Longest time.Duration // Defaults to 32 milliseconds.
	// Tries is after how many tries a call that always finds the record changed gives
	// up. Defaults to no limit but that of its context.
	Tries int

	next  time.Duration
	taken int
}

// ErrBusy is the error of a call that others have overtaken in every try.
var ErrBusy error = &driver.Fault{Kind: driver.ErrUnavailable, Err: errors.New("its record changes all the time")}

// Wait returns when it is time for another try, or says why there is none: ErrBusy, or
// the error of ctx, at once when that ends. It returns also when wake is closed: the
// next try will tell. A nil wake never is.
func (p *Pause) Wait(ctx context.Context, wake <-chan struct{}) error {
	d := p.next
	p.next = min(max(2*d, cmp.Or(p.First, time.Millisecond)), cmp.Or(p.Longest, 32*time.Millisecond))
	if p.taken++; p.Tries > 0 && p.taken >= p.Tries {
		return ErrBusy
	}
	if d == 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d/2 + rand.N(d))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-wake:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
