package child

import (
	"context"
	"time"
)

// Until returns a context that ends with cause when remaining answers zero or
// less. It asks again when the time it was given has passed, so the end may be
// put off by a renewal, and at least once a second, so that an end that came
// nearer is noticed, and a clock that jumped while the machine slept.
func Until(parent context.Context, remaining func() time.Duration, cause error) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	go func() {
		for {
			left := remaining()
			if left <= 0 {
				cancel(cause)
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(min(left, time.Second)):
			}
		}
	}()
	return ctx, func() { cancel(context.Canceled) }
}
