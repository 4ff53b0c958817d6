// Package vacancy waits until nobody holds a name, and takes nobody's place in line.
package vacancy

import (
	"context"
	"errors"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
)

// Wait asks about name, once every interval and when its lease is due to end, until
// nobody holds it, and returns its record. tell gets the reason of each look to wait on:
// a *ringfence.HeldError, or that the store could not be asked, which is waited out too.
//
// When ctx ends, the error is the last reason, or the cause of ctx where there is none.
func Wait(ctx context.Context, l *ringfence.Locker, name string, interval time.Duration, tell func(error)) (driver.Record, error) {
	var last error
	for {
		r, err := l.Inspect(ctx, name)
		switch {
		case ctx.Err() != nil: // the look was cut short, and says nothing
			return r, or(last, context.Cause(ctx))
		case err != nil && !errors.Is(err, ringfence.ErrUnavailable) && !errors.Is(err, ringfence.ErrUnknown):
			return r, err
		case err == nil && r.State != driver.Held:
			return r, nil
		}
		pause := interval
		if last = err; err == nil {
			last = &ringfence.HeldError{Name: name, Holder: r.Holder, Token: r.Token, Remaining: r.Remaining}
			pause = min(pause, r.Remaining+time.Millisecond)
		}
		tell(last)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return r, last
		}
	}
}

func or(err, other error) error {
	if err != nil {
		return err
	}
	return other
}
