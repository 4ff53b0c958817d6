package kindtest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

func (e *env) also(names ...string) ringfence.Kind {
	var k ringfence.Kind
	for _, n := range names {
		k.Also = append(k.Also, e.name(n))
	}
	return k
}

func allNamesOrNone(e *env) {
	c, other := e.client(nil), e.client(nil)
	three := of(e.also("c", "a", "b")) // one of them twice
	lease := c.hold("b", three)
	for _, n := range []string{"a", "b", "c"} {
		f := lease.FenceOf(e.name(n))
		if rec := other.state(n); rec.State != driver.Held || f != (fence.Fence{Name: e.name(n), Token: rec.Token}) {
			e.Errorf("the fence of %s is %v, and the store says %s with token %s", n, f, rec.State, rec.Token)
		}
		other.refused("a name of several", n, of(ringfence.Kind{}))
	}
	if f := lease.Fence(); f != lease.FenceOf(e.name("b")) || lease.FenceOf(e.name("d")) != (fence.Fence{}) {
		e.Errorf("its own fence is %v, and that of a stranger %v", f, lease.FenceOf(e.name("d")))
	}
	c.release(lease)
	taken := other.hold("b", of(ringfence.Kind{}))
	c.refused("three names of which one is held", "b", three)
	for _, n := range []string{"a", "c"} {
		if rec := other.state(n); rec.State == driver.Held {
			e.Errorf("%s stays held, though not all could be had", n)
		}
	}
	other.release(taken)
	c.release(c.hold("b", three))
}

// slow rests after each grant, so that two who acquire one name after another meet.
type slow struct{ driver.Store }

func (s slow) Acquire(ctx context.Context, r driver.Request) (driver.Term, error) {
	t, err := s.Store.Acquire(ctx, r)
	if err == nil {
		pause(ctx, 50*time.Millisecond)
	}
	return t, err
}

func noCircle(e *env) {
	var all sync.WaitGroup
	for own, more := range map[string]string{"a": "b", "b": "a"} {
		c := e.client(func(s driver.Store) driver.Store { return slow{s} })
		all.Go(func() {
			for range 3 {
				lease, err := c.acquire(own, patience/3, of(e.also(more)))
				if err != nil {
					e.Errorf("who wants %s and %s waits for who wants %s and %s: %v", own, more, more, own, err)
					return
				}
				if err := lease.Release(e.ctx); err != nil {
					e.Errorf("release: %v", err)
				}
			}
		})
	}
	all.Wait()
}

func theFirstLossEndsAll(e *env) {
	c := e.client(nil)
	breaker, ok := c.store.(driver.Breaker)
	if !ok {
		e.Skipf("the store can't end a term by force")
	}
	lease := c.hold("a", ringfence.Hold{TTL: c.lasting(), Renew: true, Kind: e.also("b", "c")})
	if _, err := breaker.Break(e.ctx, e.name("b"), "the suite"); err != nil {
		e.Fatalf("break: %v", err)
	}
	select {
	case <-lease.Context().Done():
	case <-e.ctx.Done():
		e.Fatalf("one of three names was lost, and the lease goes on")
	}
	ended, ok := errors.AsType[*ringfence.EndedError](context.Cause(lease.Context()))
	if !ok || ended.Fence != lease.FenceOf(e.name("b")) || ended.Cause != ringfence.EndForced {
		e.Errorf("it ended with %v", context.Cause(lease.Context()))
	}
	if err := lease.Release(e.ctx); !errors.Is(err, ringfence.ErrEnded) {
		e.Errorf("the release tells nothing of the loss: %v", err)
	}
	c.release(c.hold("a", of(e.also("b", "c"))))
}

// keptWhileWaiting tries with longer and longer leases: a busy machine may lose a short one.
func keptWhileWaiting(e *env) {
	c, other := e.client(nil), e.client(nil)
	was, is := waitForMore(c, other, c.lasting())
	for longer := 2 * c.lasting(); was != is && longer < 5*c.lasting(); longer *= 2 {
		was, is = waitForMore(c, other, longer)
	}
	if was != is {
		e.Errorf("the first name was held with token %s, and then with %s: it was not kept", was, is)
	}
}

// waitForMore waits for a second name for longer than the lease of the first lasts, and
// returns the token of that before and after.
func waitForMore(c, other *client, ttl time.Duration) (was, is fence.Token) {
	taken := other.hold("z", of(ringfence.Kind{}))
	wait := c.waits("a", ringfence.Hold{TTL: ttl, Kind: c.also("z")})
	c.until("the first name is held", func() bool { return other.state("a").State == driver.Held })
	was = other.state("a").Token
	pause(c.ctx, ttl*5/4)
	released := time.Now()
	other.release(taken)
	lease := c.granted("both names", wait)
	if whole := lease.TrustedUntil().Sub(released); whole < ttl/2 {
		c.Errorf("after the wait only %s are left of a lease of %s", whole, ttl)
	}
	is = lease.FenceOf(c.name("a")).Token
	_ = lease.Release(c.ctx)
	return was, is
}
