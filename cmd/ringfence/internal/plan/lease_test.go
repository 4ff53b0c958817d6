package plan

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/ringfencetest"
)

// durations are ends of work, from short to long.
var durations = []Question{
	{Timeout: 20 * time.Millisecond, Notice: 10 * time.Millisecond},
	{Timeout: time.Second, Notice: time.Second, Abort: 1999 * time.Millisecond},
	{Timeout: time.Second, Abort: 3 * time.Second},
	{Timeout: 5 * time.Minute, Notice: 5 * time.Second, Abort: 10 * time.Second},
	{Timeout: 6 * time.Hour, Notice: time.Hour, Abort: time.Second},
}

// TestLeaseOutlastsTheWork: when the timeout ends the work, the holder may trust its
// lease for as long as the work needs to notice and to abort.
func TestLeaseOutlastsTheWork(t *testing.T) {
	t.Parallel()
	for _, q := range durations {
		q.Goal = Once
		synctest.Test(t, func(t *testing.T) {
			d, err := q.derive()
			if err != nil {
				t.Fatal(err)
			}
			locker := ringfencetest.New(t).Locker(nil)
			_ = locker.Run(t.Context(), "report", d.work, func(ctx context.Context, lease *ringfence.Lease) error {
				begun := time.Now()
				<-ctx.Done()
				if worked := time.Since(begun); worked != q.Timeout || !errors.Is(context.Cause(ctx), ringfence.ErrTimedOut) {
					t.Errorf("%+v: ended after %s by %v", q, worked, context.Cause(ctx))
				}
				if left := lease.Remaining(); left < q.Notice+q.Abort {
					t.Errorf("%+v: %s is left", q, left)
				}
				return nil
			})
		})
	}
}

// TestOutageLeavesAStepItsTime: a leader's step that begins with an outage, at whatever
// moment, ends before the leader has to, and the leader then has time to end.
func TestOutageLeavesAStepItsTime(t *testing.T) {
	t.Parallel()
	for _, q := range durations {
		q.Goal = Leader
		synctest.Test(t, func(t *testing.T) {
			d, err := q.derive()
			if err != nil {
				t.Fatal(err)
			}
			for parts := range 12 {
				store := ringfencetest.New(t)
				_ = store.Locker(nil).Run(t.Context(), "report", d.work, func(ctx context.Context, lease *ringfence.Lease) error {
					<-time.After(d.lease * time.Duration(parts) / 9)
					store.CutOff()
					step, cancel := context.WithTimeout(ctx, q.Timeout)
					defer cancel()
					<-step.Done()
					if ctx.Err() != nil {
						t.Errorf("%+v: the leader had to end before its step: %v", q, context.Cause(ctx))
					}
					<-ctx.Done()
					if left := lease.Remaining(); left < q.Notice+q.Abort {
						t.Errorf("%+v: %s is left", q, left)
					}
					return nil
				})
			}
		})
	}
}
