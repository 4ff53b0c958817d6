package sqlstore

import (
	"context"
	"time"
)

// aTick waits until the database's clock has passed into a later tick than the one
// in which another database was noticed. The floor is then raised in that later
// tick: or a second loss, in the same tick as the first, would raise it to the
// same number, and what was granted in between would be granted again.
func aTick(ctx context.Context) bool {
	t := time.NewTimer(2 * time.Millisecond)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// lastWord is how long a call whose context has ended waits for an answer that
// is under way: mostly it is about to come, and is better than a doubt.
const lastWord = 10 * time.Millisecond

// awaitLastWord reports whether done came in time.
func awaitLastWord(done <-chan struct{}) bool {
	t := time.NewTimer(lastWord)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}

// oneLastWord is awaitLastWord for several answers, which wait no longer together
// than one would.
func oneLastWord() func(done <-chan struct{}) bool {
	var end <-chan time.Time
	over := false
	return func(done <-chan struct{}) bool {
		if end == nil {
			end = time.After(lastWord)
		}
		if over {
			select {
			case <-done:
				return true
			default:
				return false
			}
		}
		select {
		case <-done:
			return true
		case <-end:
			over = true
			return false
		}
	}
}

// apart calls f on a goroutine of its own, and leaves it behind when ctx ends and
// f does not: some drivers are deaf to a context. It calls ended after f.
func apart[R any](ctx context.Context, ended func(), f func() (R, error)) (R, error) {
	var result R
	var err error
	done := make(chan struct{})
	go func() {
		defer ended()
		defer close(done)
		result, err = f()
	}()
	select {
	case <-done:
		return result, err
	case <-ctx.Done():
	}
	if awaitLastWord(done) {
		return result, err
	}
	var none R
	return none, ctx.Err()
}
