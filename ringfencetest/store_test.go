package ringfencetest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/guardtest"
	"github.com/ringfence-go/ringfence/ringfencetest"
	"github.com/ringfence-go/ringfence/store/storetest"
)

func TestStoreKeepsTheContract(t *testing.T) {
	t.Parallel()
	store := ringfencetest.New(t)
	storetest.Run(t, storetest.Target{Open: func(context.Context) (driver.Store, error) { return store.Share(), nil }})
}

func TestDestinationKeepsTheContract(t *testing.T) {
	t.Parallel()
	for _, rule := range []guard.Rule{guard.Once, guard.Sequenced, guard.Latest} {
		t.Run(rule.String(), func(t *testing.T) {
			t.Parallel()
			guardtest.Run(t, guardtest.Target{
				Rule: rule, Establishes: true, Keys: true,
				Open: func(context.Context, string) (guardtest.Resource, error) {
					return ringfencetest.NewDestination(ringfencetest.New(t), rule), nil
				},
			})
		})
	}
}

// inAndOut runs a test in a bubble, where time is virtual, and outside of one.
func inAndOut(t *testing.T, test func(t *testing.T)) {
	t.Run("virtual time", func(t *testing.T) { t.Parallel(); synctest.Test(t, test) })
	t.Run("real time", func(t *testing.T) { t.Parallel(); test(t) })
}

var hold = ringfence.Hold{TTL: time.Minute}

func acquire(t *testing.T, l *ringfence.Locker) *ringfence.Lease {
	t.Helper()
	lease, err := l.TryAcquire(t.Context(), "job", hold)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lease.Abandon)
	return lease
}

func wantEnded(t *testing.T, err error, cause ringfence.EndCause) {
	t.Helper()
	if ended, ok := errors.AsType[*ringfence.EndedError](err); !ok || ended.Cause != cause {
		t.Errorf("got %v, want an end by %s", err, cause)
	}
}

func TestExpireTellsNobody(t *testing.T) {
	t.Parallel()
	inAndOut(t, func(t *testing.T) {
		store := ringfencetest.New(t)
		lease := acquire(t, store.Locker(nil))
		store.Expire("job")
		if lease.Context().Err() != nil || lease.Remaining() < 50*time.Second {
			t.Error("the holder was told")
		}
		wantEnded(t, lease.Renew(t.Context()), ringfence.EndExpired)
		wantEnded(t, context.Cause(lease.Context()), ringfence.EndExpired)
	})
}

func TestStealGrantsAHigherToken(t *testing.T) {
	t.Parallel()
	inAndOut(t, func(t *testing.T) {
		store := ringfencetest.New(t)
		lease := acquire(t, store.Locker(nil))
		thief := store.Steal("job")
		if thief.Name != "job" || thief.Token <= lease.Fence().Token {
			t.Errorf("%s was stolen from %s", thief, lease.Fence())
		}
		wantEnded(t, lease.Release(t.Context()), ringfence.EndSuperseded)
		r, err := store.Inspect(t.Context(), "job")
		if err != nil || r.State != driver.Held || r.Token != thief.Token {
			t.Errorf("the store says %+v, %v", r, err)
		}
		store.Expire("job") // the thief goes
		acquire(t, store.Share().Locker(nil))
	})
}

// A holder that stood still for longer than its lease learns of it soon, and not before.
func TestPauseIsTimeInWhichNothingRan(t *testing.T) {
	t.Parallel()
	inAndOut(t, func(t *testing.T) {
		store := ringfencetest.New(t)
		renewed := ringfence.Hold{TTL: time.Minute, Renew: true}
		lease, err := store.Locker(nil).TryAcquire(t.Context(), "job", renewed)
		if err != nil {
			t.Fatal(err)
		}
		store.Pause(2 * time.Minute)
		if lease.Remaining() > 0 {
			t.Error("the holder trusts its lease after a pause of twice its length")
		}
		acquire(t, store.Share().Locker(nil))
		select {
		case <-lease.Context().Done():
		case <-time.After(30 * time.Second):
			t.Error("the holder was never told")
		}
	})
}

func TestEachFaultIsWhatItSays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cut   func(*ringfencetest.Store)
		kind  error
		after driver.State
	}{
		"cut off":         {(*ringfencetest.Store).CutOff, ringfence.ErrUnavailable, driver.Free},
		"silence":         {(*ringfencetest.Store).Silence, ringfence.ErrUnknown, driver.Free},
		"replies dropped": {(*ringfencetest.Store).DropReplies, ringfence.ErrUnknown, driver.Held},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := ringfencetest.New(t)
				other := store.Share()
				c.cut(store)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				term, err := store.Acquire(ctx, driver.Request{Name: "job", Attempt: "a", TTL: time.Hour})
				if !errors.Is(err, c.kind) || term != (driver.Term{}) {
					t.Errorf("got %+v, %v", term, err)
				}
				if r, err := other.Inspect(t.Context(), "job"); err != nil || r.State != c.after {
					t.Errorf("the store says %s, %v; want %s", r.State, err, c.after)
				}
				if done := store.RenewAll(ctx, make([]driver.Renewal, 2)); len(done) != 2 || !errors.Is(done[1].Err, c.kind) {
					t.Errorf("of a batch of two: %+v", done)
				}
				store.Reconnect()
				if _, err := store.Acquire(t.Context(), driver.Request{Name: "job", Attempt: "a", TTL: time.Hour}); err != nil {
					t.Errorf("after the link was mended: %v", err)
				}
			})
		})
	}
}

func TestAHolderThatIsCutOffLosesItsTrust(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := ringfencetest.New(t)
		renewed := ringfence.Hold{TTL: time.Minute, Renew: true}
		lease, err := store.Locker(nil).TryAcquire(t.Context(), "job", renewed)
		if err != nil {
			t.Fatal(err)
		}
		store.CutOff()
		<-lease.Context().Done()
		wantEnded(t, context.Cause(lease.Context()), ringfence.EndUnreachable)
	})
}
