package child

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

var errOver = errors.New("over")

func TestUntilFollowsTheEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		first, then time.Duration // the end, and the end as it is after 2.5 seconds
		want        time.Duration
	}{
		{"as it was", 10 * time.Second, 10 * time.Second, 10 * time.Second},
		{"put off", 3 * time.Second, 20 * time.Second, 20 * time.Second},
		{"nearer", time.Hour, 0, 3 * time.Second},
		{"at once", 0, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				remaining := func() time.Duration {
					end := c.first
					if time.Since(start) >= 2500*time.Millisecond {
						end = c.then
					}
					return end - time.Since(start)
				}
				ctx, cancel := Until(t.Context(), remaining, errOver)
				defer cancel()
				<-ctx.Done()
				if got := time.Since(start); got != c.want || !errors.Is(context.Cause(ctx), errOver) {
					t.Errorf("ended after %v with %v, want %v", got, context.Cause(ctx), c.want)
				}
			})
		})
	}
}

func TestUntilIsCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := Until(t.Context(), func() time.Duration { return time.Hour }, errOver)
		cancel()
		<-ctx.Done()
		if got := context.Cause(ctx); !errors.Is(got, context.Canceled) {
			t.Errorf("cause %v", got)
		}
	})
}
