package guard

import (
	"sync/atomic"

	"github.com/ringfence-go/ringfence/fence"
)

// Counter counts verdicts, and passes them on: every guard reports each verdict
// of its own to the counter in its options, once. Its zero value is ready, it may
// be shared by many guards and goroutines, and a nil Counter counts nothing.
type Counter struct {
	// OnVerdict is told every verdict, after it is counted: for metrics and logs,
	// see package observe. It is called from many goroutines, must return soon, and
	// is set before the counter is used. Defaults to none.
	OnVerdict func(fence.Verdict)

	outcomes [fence.Unavailable + 1]atomic.Uint64
	causes   [fence.Invalid + 1]atomic.Uint64
}

// Count adds one verdict. A guard of your own calls it with each of its answers.
func (c *Counter) Count(v fence.Verdict) {
	if c == nil {
		return
	}
	if int(v.Outcome) < len(c.outcomes) {
		c.outcomes[v.Outcome].Add(1)
	}
	if v.Outcome == fence.Refused && int(v.Cause) < len(c.causes) {
		c.causes[v.Cause].Add(1)
	}
	if c.OnVerdict != nil {
		c.OnVerdict(v)
	}
}

// Outcomes returns the count of each outcome, also of those at 0.
func (c *Counter) Outcomes() map[fence.Outcome]uint64 {
	counts := make(map[fence.Outcome]uint64)
	for o := fence.Unknown; o <= fence.Unavailable; o++ {
		counts[o] = 0
		if c != nil {
			counts[o] = c.outcomes[o].Load()
		}
	}
	return counts
}

// Refusals returns the count of each cause of a refusal, also of those at 0.
func (c *Counter) Refusals() map[fence.Cause]uint64 {
	counts := make(map[fence.Cause]uint64)
	for _, cause := range fence.Causes() {
		counts[cause] = 0
		if c != nil {
			counts[cause] = c.causes[cause].Load()
		}
	}
	return counts
}
