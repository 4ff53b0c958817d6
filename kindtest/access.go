package kindtest

import (
	"context"
	"crypto/rand"
	"sync/atomic"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
)

var (
	reading = of(ringfence.Kind{Access: ringfence.Shared})
	writing = of(ringfence.Kind{Access: ringfence.Exclusive})
)

func readersShare(e *env) {
	c, other := e.client(nil), e.client(nil)
	one, two := c.hold("job", reading), other.hold("job", reading)
	if one.Term().Name == two.Term().Name {
		e.Errorf("both hold %v", one.Term())
	}
	c.release(one)
	other.release(two)
}

func aWriterFindsNoReader(e *env) {
	c, other := e.client(nil), e.client(nil)
	one, two := c.hold("job", reading), c.hold("job", reading)
	other.refused("a writer beside two readers", "job", writing)
	c.release(one)
	wait := other.waits("job", writing)
	e.until("the waiter has been refused", func() bool { return pause(e.ctx, c.brief()/4) })
	select {
	case <-wait:
		e.Fatalf("a writer was granted the name beside a reader")
	default:
	}
	c.release(two)
	e.granted("a writer whose readers are gone", wait)
}

func aReaderFindsNoWriter(e *env) {
	c, other := e.client(nil), e.client(nil)
	writer := c.hold("job", writing)
	other.refused("a reader beside a writer", "job", reading)
	other.refused("a writer beside a writer", "job", writing)
	c.release(writer)
	other.release(other.hold("job", reading))
}

func aWaitingWriterComesFirst(e *env) {
	c, other := e.client(nil), e.client(nil)
	reader := c.hold("job", reading)
	wait := other.waits("job", writing)
	e.until("the writer keeps new readers out", func() bool {
		lease, err := c.acquire("job", 0, reading)
		if err == nil {
			c.release(lease)
		}
		return err != nil
	})
	for range 5 { // and not just now and then
		c.refused("a reader behind a writer that waits", "job", reading)
		pause(e.ctx, 10*time.Millisecond)
	}
	c.release(reader)
	e.granted("the writer", wait)
}

func aReaderHasItsPlaceAmongWriters(e *env) {
	c, other := e.client(nil), e.client(nil)
	before := c.hold("job", writing)
	c.release(before)
	one, two := c.hold("job", reading), other.hold("job", reading)
	c.release(one)
	other.release(two)
	after := other.hold("job", writing)
	for _, reader := range []*ringfence.Lease{one, two} {
		f := reader.Fence()
		if f.Name != e.name("job") || f.Token <= before.Fence().Token || f.Token >= after.Fence().Token {
			e.Errorf("a reader has the fence %v between %v and %v", f, before.Fence(), after.Fence())
		}
		if reader.FenceOf(e.name("job")) != f {
			e.Errorf("FenceOf is %v", reader.FenceOf(e.name("job")))
		}
	}
}

// late lets the first release of a name through when another has held the name since.
type late struct {
	driver.Store
	name  string
	first atomic.Bool
}

func (l *late) Release(ctx context.Context, t driver.Term) error {
	if t.Name == l.name && l.first.CompareAndSwap(false, true) {
		between := driver.Request{Name: t.Name, Attempt: rand.Text(), TTL: long}
		for pause(ctx, 5*time.Millisecond) {
			if got, err := l.Acquire(ctx, between); err == nil {
				_ = l.Store.Release(ctx, got)
				break
			}
		}
	}
	return l.Store.Release(ctx, t)
}

func aReaderLateAtTheGateStaysOut(e *env) {
	writer := e.client(nil)
	reader := e.client(func(s driver.Store) driver.Store { return &late{Store: s, name: e.name("job")} })
	lease, err := reader.acquire("job", 0, ringfence.Hold{TTL: reader.brief(), Renew: true, Kind: reading.Kind})
	if err == nil {
		e.Errorf("a reader reads with token %s whose gate was over before it was released: a writer may have come in between", lease.Fence().Token)
		return
	}
	e.granted("a writer, since nothing was left behind,", writer.waits("job", writing))
}
