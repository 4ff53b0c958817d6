package life

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/ringfence-go/ringfence/driver"
)

func TestCallsEndWithTheStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := New()
		ended := make(chan error, 1)
		go func() {
			got, err := Run(t.Context(), l, func(ctx context.Context) (int, error) {
				<-ctx.Done()
				return 1, ctx.Err()
			})
			if got != 0 {
				err = errors.New("a result beside an error")
			}
			ended <- err
		}()
		synctest.Wait()
		l.End()
		if err := <-ended; err != context.Canceled {
			t.Errorf("a call under way: %v; want what it returns when its context ends", err)
		}
		if _, err := Run(t.Context(), l, func(context.Context) (int, error) { return 1, nil }); !errors.Is(err, driver.ErrClosed) {
			t.Errorf("a call after the end: %v; want closed", err)
		}
	})
}

func TestCallThatDoesNotBegin(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Run(ctx, New(), func(context.Context) (int, error) {
		t.Error("the call was made")
		return 0, nil
	})
	if !errors.Is(err, driver.ErrUnavailable) || !errors.Is(err, context.Canceled) {
		t.Errorf("a call whose context is over: %v; want unavailable, and why", err)
	}
}

func TestEndWaitsForWhatWasStarted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := New()
		goOn, over := make(chan struct{}), false
		if !l.Start(func() { <-l.Context().Done(); <-goOn; over = true }) {
			t.Fatal("not started")
		}
		l.End()
		synctest.Wait()
		close(goOn)
		if l.Wait(); !over {
			t.Error("did not wait")
		}
		if l.Start(func() { t.Error("it runs") }) {
			t.Error("started after the end")
		}
	})
}
