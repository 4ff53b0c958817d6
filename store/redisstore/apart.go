package redisstore

import "context"

// apart calls f on a goroutine of its own, and leaves it behind when ctx ends and
// f does not: the client does not look at a context while it waits for the
// network. aside starts the goroutine.
func apart[R any](ctx context.Context, aside func(func()) error, f func() (R, error)) (R, error) {
	var none, result R
	var err error
	done := make(chan struct{})
	if closed := aside(func() {
		defer close(done)
		result, err = f()
	}); closed != nil {
		return none, closed
	}
	select {
	case <-done:
		return result, err
	case <-ctx.Done():
	}
	if awaitLastWord(done) {
		return result, err
	}
	return none, left(ctx, false, nil)
}
