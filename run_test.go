package ringfence

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

var errWork = errors.New("the work failed")

func TestRunDerivesTheLeaseAndReleases(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		err := b.Run(t.Context(), "report", Work{Timeout: time.Minute, Grace: 5 * time.Second, Unavailable: Fail},
			func(_ context.Context, lease *Lease) error {
				r, _ := b.mem.Inspect(t.Context(), "report")
				if r.Remaining < 65*time.Second || r.Remaining > 65200*time.Millisecond || r.Token != lease.Fence().Token {
					t.Errorf("the store says %+v", r)
				}
				return errWork
			})
		if err != errWork { //nolint:errorlint // handed on as it is
			t.Errorf("got %v, want the error of the work", err)
		}
		if s := b.state(t, "report"); s != driver.Released {
			t.Errorf("afterwards the store says %s", s)
		}
	})
}

func TestTrustCoversTimeoutAndGraceHoweverLong(t *testing.T) {
	t.Parallel()
	for _, timeout := range []time.Duration{time.Second, time.Minute, 4 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			work := Work{Timeout: timeout, Grace: time.Second, Unavailable: Fail}
			begun := time.Now()
			err := b.Run(t.Context(), "report", work, func(ctx context.Context, lease *Lease) error {
				<-ctx.Done()
				if took := time.Since(begun); took != timeout || lease.Remaining() < time.Second {
					t.Errorf("told after %s with %s of trust left, want %s and the grace", took, lease.Remaining(), timeout)
				}
				return ctx.Err()
			})
			if !errors.Is(err, ErrTimedOut) || errors.Is(err, ErrLost) {
				t.Errorf("timeout %s: %v", timeout, err)
			}
		})
	}
}

func TestASlowGrantCostsTheWorkAndNotItsGrace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.link.set(nil, func(op string, _ int) error { time.Sleep(3 * time.Second); return nil })
		err := b.Run(t.Context(), "report", Work{Timeout: 10 * time.Second, Grace: 2 * time.Second, Unavailable: Fail},
			func(ctx context.Context, lease *Lease) error {
				<-ctx.Done()
				if left := lease.Remaining(); left < 2*time.Second {
					t.Errorf("told with %s left of a grace of 2 s", left)
				}
				return ctx.Err()
			})
		if !errors.Is(err, ErrTimedOut) || errors.Is(err, ErrLost) {
			t.Errorf("got %v", err)
		}
	})
}

func TestWhatTheWorkAbandonedIsNotReleased(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		err := b.Run(t.Context(), "leader", Work{Renew: true, Unavailable: Fail}, func(ctx context.Context, lease *Lease) error {
			b.link.set(nil, func(op string, _ int) error { // renewals get through, their replies do not
				if op == "renew" {
					return &driver.Fault{Kind: ErrUnknown, Err: errLink}
				}
				return nil
			})
			<-ctx.Done()
			lease.Abandon() // something may still write
			return errWork
		})
		if lost, ok := errors.AsType[*LostError](err); !ok || lost.Cause != EndUnreachable {
			t.Errorf("got %v", err)
		}
		if s := b.state(t, "leader"); s != driver.Held {
			t.Errorf("the store says %s: an abandoned term was given away", s)
		}
	})
}

func TestACancelledWaitIsNoSkip(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		holder, err := b.TryAcquire(t.Context(), "report", Hold{TTL: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		work := Work{Timeout: time.Minute, Wait: time.Minute, Unavailable: Skip, Held: SkipIfHeld}
		if err := b.Run(ctx, "report", work, nil); !errors.Is(err, context.DeadlineExceeded) || b.saw(EventSkipped) != 0 {
			t.Errorf("got %v", err)
		}
		holder.Abandon()
	})
}

func TestAnUntoldReleaseNamesNoTimeBeforeTheStores(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		err := b.Run(t.Context(), "leader", Work{Renew: true, Lease: 30 * time.Second, Unavailable: Fail}, func(context.Context, *Lease) error {
			b.link.set(nil, always(ErrUnknown)) // the renewal gets through, its reply does not
			time.Sleep(12 * time.Second)
			b.link.set(always(ErrUnavailable), nil)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		r, _ := b.mem.Inspect(t.Context(), "leader")
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, e := range b.events {
			if e.Kind == EventUntold && e.Until.Before(r.ExpiresAt) {
				t.Errorf("until %s, the store says %s", e.Until, r.ExpiresAt)
			}
		}
	})
}

func TestBoundedWorkIsToldAtItsTimeoutAndIsNotRenewed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		begun := time.Now()
		err := b.Run(t.Context(), "report", Work{Timeout: time.Minute, Unavailable: Fail},
			func(ctx context.Context, lease *Lease) error {
				<-ctx.Done()
				if took := time.Since(begun); took != time.Minute {
					t.Errorf("told after %s", took)
				}
				if lease.Context().Err() != nil {
					t.Error("the lease ended with the timeout: no grace is left")
				}
				return ctx.Err()
			})
		if !errors.Is(err, ErrTimedOut) || errors.Is(err, ErrLost) {
			t.Errorf("got %v, want ErrTimedOut", err)
		}
		if n := b.link.count("renew"); n != 0 {
			t.Errorf("%d renewals of bounded work", n)
		}
	})
}

func TestWorkThatOutlivesItsLeaseIsSuspectAlsoWhenItSaysNil(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		err := b.Run(t.Context(), "report", Work{Timeout: time.Minute, Unavailable: Fail},
			func(context.Context, *Lease) error { time.Sleep(2 * time.Minute); return nil })
		lost, ok := errors.AsType[*LostError](err)
		if !ok || !lost.Suspect || lost.Cause != EndExpired {
			t.Errorf("got %v, want a suspect loss by expiry", err)
		}
		if b.saw(EventSuspect) != 1 {
			t.Errorf("the suspect was told %d times", b.saw(EventSuspect))
		}
	})
}

func TestWorkThatIgnoresItsCallerPastTheLeaseIsSuspect(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		ctx, cancel := context.WithCancel(t.Context())
		err := b.Run(ctx, "report", Work{Timeout: time.Minute, Unavailable: Fail},
			func(context.Context, *Lease) error { cancel(); b.setSkew(time.Hour); return nil }) // the machine slept
		if lost, ok := errors.AsType[*LostError](err); !ok || !lost.Suspect {
			t.Errorf("got %v, want a suspect loss", err)
		}
	})
}

func TestABrokenTermIsLostAlsoWhenNothingRenewsIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		err := b.Run(t.Context(), "report", Work{Timeout: time.Minute, Unavailable: Fail},
			func(context.Context, *Lease) error {
				_, err := b.mem.Break(t.Context(), "report", "operator")
				return err
			})
		lost, ok := errors.AsType[*LostError](err)
		if !ok || lost.Cause != EndForced || !lost.Suspect {
			t.Errorf("got %v, want a loss by force", err)
		}
	})
}

// TestATermTakenWhileItsWorkStopsIsSuspect: the work heeded the end of its lease in time, which the
// term did not last until.
func TestATermTakenWhileItsWorkStopsIsSuspect(t *testing.T) {
	t.Parallel()
	for what, taken := range map[EndCause]func(*bench) error{
		EndForced: func(*bench) error { return nil },
		EndSuperseded: func(b *bench) error {
			_, err := b.mem.Acquire(context.Background(), driver.Request{Name: "report", Attempt: "other", TTL: time.Minute})
			return err
		},
	} {
		t.Run(string(what), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				err := b.Run(t.Context(), "report", Work{Renew: true, Unavailable: Fail}, func(ctx context.Context, lease *Lease) error {
					b.link.set(always(ErrUnavailable), nil)
					<-ctx.Done()
					b.link.set(nil, nil)
					if _, err := b.mem.Break(context.Background(), "report", "operator"); err != nil {
						t.Error(err)
					}
					if lease.Remaining() <= time.Second {
						t.Errorf("%s remain", lease.Remaining())
					}
					return taken(b)
				})
				lost, ok := errors.AsType[*LostError](err)
				if !ok || lost.Cause != what || !lost.Suspect || b.saw(EventSuspect) != 1 {
					t.Errorf("got %v and %d suspects, want one that was %s", err, b.saw(EventSuspect), what)
				}
			})
		})
	}
}

func TestScenario_R23_StepDownOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		err := b.Run(ctx, "leader", Work{Renew: true, Unavailable: Fail}, func(ctx context.Context, _ *Lease) error {
			<-ctx.Done()
			time.Sleep(3 * time.Second) // it needs 3 s to stop
			if s := b.state(t, "leader"); s != driver.Held {
				t.Errorf("while the work was stopping the store said %s", s)
			}
			return context.Cause(ctx)
		})
		if !errors.Is(err, context.Canceled) || errors.Is(err, ErrLost) {
			t.Errorf("got %v", err)
		}
		if s := b.state(t, "leader"); s != driver.Released {
			t.Errorf("afterwards the store says %s", s)
		}
		if _, err := b.TryAcquire(t.Context(), "never", Hold{TTL: time.Minute}); err != nil {
			t.Fatal(err)
		}
		began := false
		err = b.Run(ctx, "never", Work{Renew: true, Unavailable: Fail}, func(context.Context, *Lease) error { began = true; return nil })
		if err == nil || began {
			t.Errorf("cancelled before ever leading: %v, began %v", err, began)
		}
	})
}

func TestScenario_R12_PanicReleases(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		func() {
			defer func() { _ = recover() }()
			_ = b.Run(t.Context(), "report", Work{Renew: true, Unavailable: Fail}, func(context.Context, *Lease) error { panic("worker") })
		}()
		if s := b.state(t, "report"); s != driver.Released {
			t.Errorf("after a panic the store says %s", s)
		}
	})
}

func TestUnavailableIsStated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.link.set(always(ErrUnavailable), nil)
		ran, work := false, Work{Timeout: time.Minute}
		do := func(_ context.Context, lease *Lease) error {
			ran = true
			if !lease.Unfenced() || lease.Fence().Check() == nil || !errors.Is(lease.Renew(t.Context()), ErrUnavailable) {
				t.Errorf("an unfenced lease looks like one: %+v", lease.Fence())
			}
			return errWork
		}
		if err := b.Run(t.Context(), "report", work, do); !errors.Is(err, ErrInvalid) {
			t.Errorf("nothing said: %v", err)
		}
		work.Unavailable = Fail
		if err := b.Run(t.Context(), "report", work, do); !errors.Is(err, ErrUnavailable) || !errors.Is(err, errLink) || ran {
			t.Errorf("fail: %v, ran %v", err, ran)
		}
		work.Unavailable = Skip
		if err := b.Run(t.Context(), "report", work, do); err != nil || ran || b.saw(EventSkipped) != 1 {
			t.Errorf("skip: %v, ran %v", err, ran)
		}
		work.Unavailable = RunUnfenced
		untilTold := func(ctx context.Context, _ *Lease) error { <-ctx.Done(); return errWork }
		if err := b.Run(t.Context(), "report", Work{Timeout: time.Second, Unavailable: RunUnfenced}, untilTold); !errors.Is(err, ErrTimedOut) || !errors.Is(err, errWork) {
			t.Errorf("unfenced work that used up its time: %v", err)
		}
		if err := b.Run(t.Context(), "report", work, do); !errors.Is(err, errWork) || errors.Is(err, ErrTimedOut) || !ran || b.saw(EventUnfenced) != 2 {
			t.Errorf("run unfenced: %v, ran %v", err, ran)
		}
	})
}

func TestAnUnfitStoreIsNotAnOutage(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.link.set(always(ErrUnfit), nil)
	ran := false
	err := b.Run(t.Context(), "report", Work{Timeout: time.Minute, Unavailable: RunUnfenced}, func(context.Context, *Lease) error { ran = true; return nil })
	if !errors.Is(err, ErrUnfit) || ran {
		t.Errorf("got %v, ran %v: what will not mend by itself must not let work through", err, ran)
	}
}

func TestHeldCanBeSkipped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		holder, err := b.TryAcquire(t.Context(), "report", Hold{TTL: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		work := Work{Timeout: time.Minute, Unavailable: Fail, Held: SkipIfHeld}
		if err := b.Run(t.Context(), "report", work, nil); err != nil || b.saw(EventSkipped) != 1 {
			t.Errorf("got %v", err)
		}
		holder.Abandon()
	})
}

func TestAReleaseThatCannotBeToldIsNoErrorOfTheWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		err := b.Run(t.Context(), "report", Work{Timeout: time.Minute, Unavailable: Fail}, func(context.Context, *Lease) error {
			b.link.set(always(ErrUnavailable), nil)
			return nil
		})
		if err != nil || b.saw(EventUntold) != 1 {
			t.Errorf("got %v, told %d times", err, b.saw(EventUntold))
		}
	})
}

func TestPlanRefusesWhatCannotBeKept(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]Work{
		"neither timeout nor renew":      {Unavailable: Fail},
		"nothing said of outages":        {Timeout: time.Minute},
		"a lease picked by hand":         {Timeout: time.Minute, Lease: time.Minute, Unavailable: Fail},
		"negative timeout":               {Timeout: -1, Unavailable: Fail},
		"endless timeout":                {Timeout: math.MaxInt64, Unavailable: Fail},
		"endless both":                   {Timeout: math.MaxInt64, Grace: math.MaxInt64, Unavailable: Fail},
		"negative wait":                  {Timeout: time.Minute, Wait: -1, Unavailable: Fail},
		"a grace that leaves no renewal": {Renew: true, Lease: 10 * time.Second, Grace: 5 * time.Second, Unavailable: Fail},
		"undefined held":                 {Timeout: time.Minute, Held: 7, Unavailable: Fail},
	} {
		if p, err := w.Plan(); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	if p, err := (Work{Renew: true, Lease: 6 * time.Second, Unavailable: Fail}).Plan(); err != nil || p.Grace != 2*time.Second {
		t.Errorf("a short renewed lease: %+v, %v", p, err)
	}
}

// TestTheLossOfAnotherLeaseIsNotItsOwn: work under two leases, one inside of the other's
// context, stops with the outer one; the inner one has lasted, and was released.
func TestTheLossOfAnotherLeaseIsNotItsOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		w := Work{Renew: true, Unavailable: Fail}
		err := b.Run(t.Context(), "outer", w, func(ctx context.Context, _ *Lease) error {
			return b.Run(ctx, "inner", w, func(ctx context.Context, _ *Lease) error {
				if _, err := b.mem.Break(ctx, "outer", "ops"); err != nil {
					t.Error(err)
				}
				<-ctx.Done()
				return nil
			})
		})
		lost, ok := errors.AsType[*LostError](err)
		if !ok || lost.Fence.Name != "outer" || lost.Err != nil {
			t.Errorf("got %v, where the inner work said %v", err, lost)
		}
		if b.saw(EventSuspect) != 1 || b.saw(EventReleased) != 1 {
			t.Errorf("told: %+v", b.events)
		}
	})
}
