package ringfence

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

var renewed = Hold{TTL: 30 * time.Second, Renew: true, Notice: 10 * time.Second}

func TestManyLeasesShareFewCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, true, nil)
		all := c.take(t, "job", 800, renewed)
		time.Sleep(2 * time.Minute)
		calls, renewals := c.link.asked(), 0
		for _, names := range calls {
			renewals += len(names)
			if len(names) > batchSize {
				t.Fatalf("%d leases in one call", len(names))
			}
		}
		if most := 800 * 16; renewals < 800*10 || renewals > most || renewals < 50*len(calls) {
			t.Errorf("%d renewals in %d calls; want at most %d, and fifty or more in each", renewals, len(calls), most)
		}
		wantHeld(t, all)
	})
}

// One lease's renewals hang, and so does every call that holds one.
func TestAStuckCallDelaysNoOther(t *testing.T) {
	t.Parallel()
	for _, batch := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			c := newCrowd(t, batch, nil)
			c.link.set(hangs("job7"), nil)
			all := c.take(t, "job", 300, renewed)
			time.Sleep(time.Minute)
			wantEnd(t, all[7].Context(), EndUnreachable)
			all[7].Abandon()
			wantHeld(t, append(all[:7:7], all[8:]...))
		})
	}
}

// More calls hang than there may be under way at once.
func TestOverdueCallsKeepNoPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, false, nil)
		stuck := c.take(t, "stuck", 5*singlesAtOnce, renewed)
		var names []string
		for _, le := range stuck {
			names = append(names, le.Fence().Name)
		}
		c.link.set(hangs(names...), nil)
		all := c.take(t, "job", 100, Hold{TTL: 3 * time.Second, Renew: true, Notice: time.Second})
		time.Sleep(time.Minute)
		for _, le := range stuck {
			wantEnd(t, le.Context(), EndUnreachable)
			le.Abandon()
		}
		wantHeld(t, all)
	})
}

// There are more renewals due than the store takes for a while.
func TestTheShortestLeaseIsNotPutBehindLongOnes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, false, nil)
		c.link.set(takes(200*time.Millisecond), nil)
		long := c.take(t, "long", 1500, Hold{TTL: 2 * time.Minute, Renew: true})
		short := c.take(t, "short", 10, Hold{TTL: 3 * time.Second, Renew: true, Notice: time.Second})
		time.Sleep(2 * time.Minute)
		wantHeld(t, short)
		wantHeld(t, long)
	})
}

func TestTrustOfABatchCountsFromBeforeItWasSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, true, nil)
		c.link.set(nil, takes(3*time.Second))
		all := c.take(t, "job", 300, renewed)
		granted := all[0].TrustedUntil()
		for range 60 {
			time.Sleep(time.Second)
			for _, le := range all {
				until := le.TrustedUntil()
				if r, err := c.mem.Inspect(t.Context(), le.Fence().Name); err != nil || until.After(r.ExpiresAt) {
					t.Fatalf("trusted until %s, the store's lease ends at %s (error %v)", until, r.ExpiresAt, err)
				}
			}
		}
		for _, le := range all {
			if !le.TrustedUntil().After(granted) {
				t.Fatalf("%s was never renewed", le.Fence().Name)
			}
		}
		wantHeld(t, all)
	})
}

func TestScenario_R09_OneBadRenewalOfMany(t *testing.T) {
	t.Parallel()
	for _, kind := range []error{ErrUnknown, ErrUnavailable} {
		synctest.Test(t, func(t *testing.T) {
			var failed atomic.Int64
			c := newCrowd(t, true, &Options{OnEvent: func(e Event) {
				if e.Kind == EventRenewFailed {
					failed.Add(1)
				}
			}})
			all := c.take(t, "job", 300, renewed)
			c.link.set(nil, func(context.Context, []string) error { return &driver.Fault{Kind: kind, Err: errLink} })
			time.Sleep(11500 * time.Millisecond) // the first renewal of each lies behind
			c.link.set(nil, nil)
			if n := failed.Load(); n < 300 {
				t.Errorf("%d failed renewals were told of, want one of each lease or more", n)
			}
			time.Sleep(time.Minute)
			wantHeld(t, all)
		})
	}
}

func TestOneOfABatchThatIsOverEndsAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, true, nil)
		all := c.take(t, "job", 300, renewed)
		if _, err := c.mem.Break(t.Context(), "job3", "operator"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(12 * time.Second)
		wantEnd(t, all[3].Context(), EndForced)
		time.Sleep(time.Minute)
		wantHeld(t, append(all[:3:3], all[4:]...))
	})
}

// A store that answers late is not a store that is gone: the first call still counts
// when a second one is under way.
func TestALateAnswerCounts(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 300} {
		synctest.Test(t, func(t *testing.T) {
			c := newCrowd(t, true, &Options{RequestTimeout: 20 * time.Second})
			c.link.set(takes(9*time.Second), nil)
			all := c.take(t, "job", n, Hold{TTL: 30 * time.Second, Renew: true, Notice: 5 * time.Second})
			time.Sleep(5 * time.Minute)
			wantHeld(t, all)
		})
	}
}

func TestAnOlderGrantTakesNoTrustAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, true, nil)
		le := c.take(t, "job", 1, Hold{TTL: 30 * time.Second})[0]
		first := c.now()
		time.Sleep(time.Second)
		second := c.now()
		term := le.term
		term.Remaining = 30 * time.Second
		le.extend(term, second, le.hold.TTL)
		until := le.TrustedUntil()
		le.extend(term, first, le.hold.TTL)
		if got := le.TrustedUntil(); !got.Equal(until) {
			t.Errorf("trusted until %s, then until %s", until, got)
		}
		le.Abandon()
	})
}

// The end of a call that hung says nothing about a lease that was renewed by another
// one since.
func TestAnErrorOfAnOlderCallPlansNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, true, &Options{RequestTimeout: 20 * time.Second})
		begun := time.Now()
		c.link.set(func(ctx context.Context, all []string) error {
			if time.Since(begun) > 25*time.Second { // the first one is due before that
				return nil
			}
			return hangs("job0")(ctx, all)
		}, nil)
		le := c.take(t, "job", 1, Hold{TTL: time.Minute, Renew: true, Notice: 10 * time.Second})
		time.Sleep(45 * time.Second)
		if n := len(c.link.asked()); n != 2 {
			t.Errorf("%d calls; want one that hung, and one in its place", n)
		}
		wantHeld(t, le)
	})
}

func TestCallsUnderWayAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var under, most atomic.Int64
		c := newCrowd(t, false, nil)
		c.link.set(func(context.Context, []string) error {
			most.Store(max(most.Load(), under.Add(1)))
			time.Sleep(overdue / 2)
			under.Add(-1)
			return nil
		}, nil)
		all := c.take(t, "job", 5*singlesAtOnce, renewed)
		time.Sleep(15 * time.Second)
		if n := most.Load(); n > singlesAtOnce {
			t.Errorf("%d calls at once", n)
		}
		wantHeld(t, all)
		time.Sleep(time.Second) // for those under way
	})
}

// A lease that is given up while it waits for a place in a call is not renewed.
func TestWhatIsGivenUpIsNotRenewed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, false, nil)
		c.link.set(takes(overdue/2), nil)
		all := c.take(t, "job", 5*singlesAtOnce, renewed)
		for len(c.link.asked()) == 0 {
			time.Sleep(time.Millisecond)
			synctest.Wait()
		}
		var waiting []*Lease
		for _, le := range all {
			if !c.link.holds(le.Fence().Name) {
				waiting = append(waiting, le)
				le.Abandon()
			}
		}
		time.Sleep(5 * time.Second)
		for _, le := range waiting {
			if c.link.holds(le.Fence().Name) {
				t.Errorf("%s was renewed after it had been given up", le.Fence().Name)
			}
		}
		if len(waiting) == 0 {
			t.Error("none had to wait")
		}
		for _, le := range all {
			le.Abandon()
		}
	})
}

// A release that leaves the name held for a while comes after the renewals under way: one
// of them would hold it for longer.
func TestALateRenewalDoesNotUndoAShortenedLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, true, nil)
		h := renewed
		h.MinHold = 15 * time.Second
		all := c.take(t, "job", 20, h)
		c.link.set(func(ctx context.Context, names []string) error {
			if len(names) == 1 {
				return nil // the release's own
			}
			return takes(3*time.Second)(ctx, names)
		}, nil)
		for !c.link.holds("job0") {
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
		}
		if err := all[0].Release(t.Context()); err != nil {
			t.Error(err)
		}
		time.Sleep(10 * time.Second)
		if r, _ := c.mem.Inspect(t.Context(), "job0"); r.State == driver.Held {
			t.Errorf("held for another %s", r.Remaining)
		}
		wantHeld(t, all[1:])
	})
}
