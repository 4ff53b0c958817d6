package kindtest

import (
	"slices"

	"github.com/ringfence-go/ringfence"
)

func permitsAreCounted(e *env) {
	c, other := e.client(nil), e.client(nil)
	three := of(ringfence.Kind{Permits: 3})
	held := []*ringfence.Lease{c.hold("job", three), other.hold("job", three), c.hold("job", three)}
	var numbers []int
	for _, lease := range held {
		numbers = append(numbers, lease.Permit())
		if f := lease.Fence(); f != lease.Term() || f != lease.FenceOf(f.Name) {
			e.Errorf("a permit has the fence %v and the term %v", f, lease.Term())
		}
	}
	if slices.Sort(numbers); !slices.Equal(numbers, []int{1, 2, 3}) {
		e.Errorf("the permits are %v", numbers)
	}
	other.refused("a fourth of three permits", "job", three)
	was := held[1].Fence()
	other.release(held[1])
	if next := c.hold("job", three).Fence(); next.Name != was.Name || next.Token <= was.Token {
		e.Errorf("after %v the permit has %v", was, next)
	}
}

func anyPermitWillDo(e *env) {
	c, other := e.client(nil), e.client(nil)
	two := of(ringfence.Kind{Permits: 2})
	held := []*ringfence.Lease{c.hold("job", two), c.hold("job", two)}
	for _, free := range held { // whichever the waiter prefers
		wait := other.waits("job", two)
		e.until("the waiter has been refused", func() bool { return pause(e.ctx, c.brief()/4) })
		c.release(free)
		lease := e.granted("the one that waits for any", wait)
		if lease.Permit() != free.Permit() {
			e.Errorf("permit %d was free, and %d was granted", free.Permit(), lease.Permit())
		}
	}
}
