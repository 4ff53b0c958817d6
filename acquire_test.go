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

func TestHeldSaysWhoAndForHowLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		first, err := b.TryAcquire(t.Context(), "report", Hold{TTL: time.Minute, Holder: "night shift"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.TryAcquire(t.Context(), "report", Hold{TTL: time.Minute})
		held, ok := errors.AsType[*HeldError](err)
		if !ok || held.Holder != "night shift" || held.Token != first.Fence().Token || held.Remaining != time.Minute {
			t.Fatalf("got %v", err)
		}
		first.Abandon()
	})
}

func TestScenario_R10_AcquireCommittedReplyLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.link.set(nil, on("acquire", 1, ErrUnknown))
		lease, err := b.TryAcquire(t.Context(), "report", Hold{TTL: time.Minute})
		if err != nil {
			t.Fatalf("asked again under the same attempt: %v", err)
		}
		r, _ := b.mem.Inspect(t.Context(), "report")
		if r.Token != lease.Fence().Token {
			t.Errorf("the store granted %s, the lease has %s", r.Token, lease.Fence().Token)
		}
		lease.Abandon()
	})
}

func TestScenario_R10_NobodyIsLeftToAsk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		ctx, cancel := context.WithCancel(t.Context())
		b.link.set(nil, func(op string, n int) error {
			if op == "acquire" && n == 1 {
				cancel() // the caller gives up in the same moment
				return &driver.Fault{Kind: ErrUnknown, Err: errLink}
			}
			return nil
		})
		_, err := b.TryAcquire(ctx, "report", Hold{TTL: time.Minute})
		if !errors.Is(err, ErrUnknown) {
			t.Fatalf("got %v, want ErrUnknown", err)
		}
		time.Sleep(time.Second)
		if s := b.state(t, "report"); s != driver.Released {
			t.Errorf("a second later the store says %s: held by nobody", s)
		}
		if b.saw(EventReclaimed) != 1 {
			t.Error("giving it back was not told")
		}
	})
}

func TestAnAttemptWhoseTermIsOverIsAskedAgainUnderANewId(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.link.set(nil, func(op string, n int) error {
			if op != "acquire" || n != 1 {
				return nil
			}
			if _, err := b.mem.Break(context.Background(), "report", "operator"); err != nil {
				t.Error(err)
			}
			return &driver.Fault{Kind: ErrUnknown, Err: errLink}
		})
		lease, err := b.TryAcquire(t.Context(), "report", Hold{TTL: time.Minute})
		if err != nil {
			t.Fatalf("the first grant was broken before its reply came: %v", err)
		}
		lease.Abandon()
	})
}

func TestAReplyAsSlowAsTheLeaseIsNoGrant(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.link.set(nil, func(op string, _ int) error {
			if op == "acquire" {
				time.Sleep(3 * time.Second)
			}
			return nil
		})
		lease, err := b.TryAcquire(t.Context(), "report", Hold{TTL: 4 * time.Second, Notice: time.Second})
		if !errors.Is(err, ErrUnavailable) || lease != nil {
			t.Fatalf("a grant with no time left for work: %v", err)
		}
		if s := b.state(t, "report"); s != driver.Released {
			t.Errorf("the store says %s", s)
		}
	})
}

func TestUnavailableAfterUnknownStaysUnknown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.link.set(func(op string, n int) error {
			if op == "acquire" && n > 1 && n < 5 {
				return &driver.Fault{Kind: ErrUnavailable, Err: errLink}
			}
			return nil
		}, on("acquire", 1, ErrUnknown))
		_, err := b.TryAcquire(t.Context(), "report", Hold{TTL: time.Minute})
		if !errors.Is(err, ErrUnknown) || errors.Is(err, ErrUnavailable) && !errors.Is(err, errLink) {
			t.Fatalf("got %v, want ErrUnknown", err)
		}
		time.Sleep(10 * time.Second)
		if s := b.state(t, "report"); s != driver.Released {
			t.Errorf("the store says %s", s)
		}
	})
}

func TestWaitingIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		holder, err := b.TryAcquire(t.Context(), "report", Hold{TTL: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		for _, wait := range []time.Duration{1, 500 * time.Millisecond, 20 * time.Second} {
			begun := time.Now()
			_, err = b.Acquire(t.Context(), "report", wait, Hold{TTL: time.Minute})
			if took := time.Since(begun); !errors.Is(err, ErrHeld) || took < wait || took > wait+50*time.Millisecond {
				t.Errorf("waiting %s: %v after %s", wait, err, took)
			}
		}
		if n := b.link.count("acquire"); n > 60 {
			t.Errorf("%d requests in 20.5 s of waiting", n)
		}
		holder.Abandon()
	})
}

func TestAWaiterGetsTheNameSoonAfterItsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		if _, err := b.TryAcquire(t.Context(), "report", Hold{TTL: 5 * time.Second}); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		second, err := b.Acquire(t.Context(), "report", time.Minute, Hold{TTL: time.Minute})
		if took := time.Since(begun); err != nil || took < 5*time.Second || took > 5200*time.Millisecond {
			t.Fatalf("%v after %s, want the end of the lease of 5 s", err, took)
		}
		second.Abandon()
	})
}

func TestAStoreThatHangsDoesNotStretchTheWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.link.hang = true
		for _, kind := range []Kind{{}, {Permits: 3}} {
			begun := time.Now()
			_, err := b.Acquire(t.Context(), "report", time.Second, Hold{TTL: time.Minute, Kind: kind})
			if took := time.Since(begun); !errors.Is(err, ErrUnknown) || took > 1200*time.Millisecond {
				t.Errorf("%+v: %v after %s of a wait of 1 s", kind, err, took)
			}
		}
		b.link.set(nil, nil)
	})
}

func TestAHeldNameIsNoOutageWhenTheLastTryIsCutShort(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		holder, err := b.TryAcquire(t.Context(), "report", Hold{TTL: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		b.link.set(func(_ string, n int) error {
			if n > 2 { // the first try of the wait is answered
				b.link.mu.Lock()
				b.link.hang = true
				b.link.mu.Unlock()
			}
			return nil
		}, nil)
		_, err = b.Acquire(t.Context(), "report", time.Second, Hold{TTL: time.Minute})
		if !errors.Is(err, ErrHeld) || down(err) {
			t.Errorf("got %v, want ErrHeld: work that runs unfenced would run beside the holder", err)
		}
		b.link.set(nil, nil)
		holder.Abandon()
	})
}

func TestAnAttemptThatIsAlwaysBrokenIsNoEndOfTheWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.link.set(always(ErrEnded), nil)
		_, err := b.TryAcquire(t.Context(), "report", Hold{TTL: time.Minute})
		if !errors.Is(err, ErrUnavailable) || errors.Is(err, ErrEnded) {
			t.Errorf("got %v, want ErrUnavailable, which a wait outlasts", err)
		}
		b.link.set(nil, nil)
	})
}

func TestAClosedLockerGrantsNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.TryAcquire(t.Context(), "report", Hold{TTL: time.Minute}); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestAWaiterOutlivesAnOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		down := time.Now().Add(10 * time.Second)
		b.link.set(func(string, int) error {
			if time.Now().Before(down) {
				return &driver.Fault{Kind: ErrUnavailable, Err: errLink}
			}
			return nil
		}, nil)
		lease, err := b.Acquire(t.Context(), "report", time.Minute, Hold{TTL: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		lease.Abandon()
	})
}

func TestACancelledWaitReturnsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		holder, err := b.TryAcquire(t.Context(), "report", Hold{TTL: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		begun := time.Now()
		_, err = b.Acquire(ctx, "report", time.Hour, Hold{TTL: time.Minute})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != 1500*time.Millisecond {
			t.Errorf("%v after %s", err, time.Since(begun))
		}
		holder.Abandon()
	})
}

func TestScenario_R21_OddDurations(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	b := newBench(t)
	for _, d := range []time.Duration{0, -time.Second, 1, 500 * time.Microsecond, 30*day + time.Second, math.MaxInt64} {
		if _, err := b.TryAcquire(t.Context(), "report", Hold{TTL: d}); !errors.Is(err, ErrInvalid) {
			t.Errorf("a lease of %s: %v", d, err)
		}
	}
	for _, d := range []time.Duration{0, -time.Second, 30*day + time.Second, math.MaxInt64} {
		if _, err := b.Acquire(t.Context(), "report", d, Hold{TTL: time.Minute}); !errors.Is(err, ErrInvalid) {
			t.Errorf("waiting %s: %v", d, err)
		}
	}
	for _, d := range []time.Duration{-time.Second, time.Minute, math.MaxInt64} {
		if _, err := b.TryAcquire(t.Context(), "report", Hold{TTL: time.Minute, Notice: d}); !errors.Is(err, ErrInvalid) {
			t.Errorf("a notice of %s: %v", d, err)
		}
	}
	if n := b.link.count("acquire"); n != 0 {
		t.Errorf("the store was asked %d times", n)
	}
	lease, err := b.TryAcquire(t.Context(), "report", Hold{TTL: 999 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	lease.Abandon()
}
