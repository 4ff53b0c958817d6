package plan

import (
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
)

// duration is what the answer says of time.
type duration struct {
	work ringfence.Work
	// lease is how long the holder may trust it, as ringfence.Work.Plan derives it.
	lease time.Duration
	grace time.Duration
}

// derive turns what was asked into a lease. Bounded work gets one that lasts as long as
// the work can; a leader's is renewed.
func (q Question) derive() (duration, error) {
	grace := graceFor(q.Notice + q.Abort)
	d := duration{work: ringfence.Work{Timeout: q.Timeout, Grace: grace, Unavailable: ringfence.Fail}}
	if q.Goal == Leader {
		d.work.Timeout, d.work.Renew, d.work.Lease = 0, true, leaderLease(q.Timeout, grace)
	}
	if whole := max(d.work.Lease, q.Timeout+grace); whole > driver.MaxTTL {
		return d, invalid("plan: a lease of %s for --timeout %s, --notice %s and --abort %s: a lease lasts 720h, which are 30 days, at most; divide the work",
			Span(whole), Span(q.Timeout), Span(q.Notice), Span(q.Abort))
	}
	p, err := d.work.Plan()
	d.lease, d.grace = p.Lease, p.Grace
	return d, err
}

// graceFor adds to the time that the work needs to end what ringfence run needs
// itself: in the last quarter of the grace, and at most in its last second, what is
// left of the work is killed and the release is told.
func graceFor(need time.Duration) time.Duration {
	if need >= 3*time.Second {
		return need + time.Second
	}
	const unit = 10 * time.Millisecond
	return need + (need/3 + unit).Truncate(unit)
}

// leaderLease is a length at which a renewal fits well before the grace, and at which a
// step that begins before the store is seen to be away ends before the leader has to:
// the next renewal comes after 11/30 of the lease at the latest, so that 19/30 less the
// grace are left for the step.
func leaderLease(step, grace time.Duration) time.Duration {
	lease := max(ringfence.DefaultLease, 3*grace, (step+grace)*8/5)
	return (lease + time.Second - 1).Truncate(time.Second)
}

// why says in a sentence what the lease is made of.
func (q Question) why(d duration) string {
	own := d.grace - q.Notice - q.Abort
	end := fmt.Sprintf("%s to notice that it is over, %s to abort, and %s for ringfence to end what is left and release", Span(q.Notice), Span(q.Abort), Span(own))
	if q.Goal != Leader {
		return fmt.Sprintf("%s of work, %s. The store is asked for a little more (1/500, and two units of its clock), since no two clocks agree.", Span(q.Timeout), end)
	}
	text := fmt.Sprintf("renewed at a third of it, and so long after a crash nobody leads. The leader's context ends %s before it could run out: %s.", Span(d.grace), end)
	if shortest := leaderLease(0, d.grace); d.lease > shortest {
		text += fmt.Sprintf(" A step of %s that begins before the store is away ends by itself; with shorter steps %s would do.", Span(q.Timeout), Span(shortest))
	}
	return text
}

// longLease is one after whose holder's crash people ask why nothing runs.
const longLease = 15 * time.Minute
