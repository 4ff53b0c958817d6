package guard

import (
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence/fence"
)

// Freshness is a resource's rule about the inputs of a write: a result that was
// computed from older ones than MaxAge is refused as Outdated. It stands beside the
// fence and is never part of it: a fence says whose write counts, and the age of
// what was computed says nothing about that.
//
// It is asked last, of a write that would be admitted. So under Once and Sequenced a
// write that was applied is a Duplicate however old its inputs are by then, and one
// that is Outdated was not applied, nor will a copy of it be that is still under way.
type Freshness struct {
	// MaxAge is the greatest age of inputs that counts. Defaults to no limit.
	MaxAge time.Duration
	// Now is the resource's own clock at the decision, as [Write.AsOf] is of it.
	Now time.Time
}

// CheckMaxAge reports why a resource can't limit the age of inputs to d, or nil; 0 is
// no limit.
func CheckMaxAge(d time.Duration) error {
	if d != 0 && d < time.Millisecond || d%time.Millisecond != 0 {
		return fmt.Errorf("%w age %s: want whole milliseconds, at least 1, or 0 for no limit", fence.ErrInvalid, d)
	}
	return nil
}

// Judge finds what refuses inputs of that time, which is not zero; NoCause where
// nothing does. [DecideFresh] asks it, and so does a guard whose resource has refused by
// itself and that looks for the cause. Clocks are compared in whole
// milliseconds, which every resource has. Where AsOf was read from the clock of
// another node than the one that decides, it may lie ahead; as far as the limit
// itself, that is no reason to refuse.
func (f Freshness) Judge(asOf time.Time) fence.Cause {
	most := f.MaxAge.Milliseconds()
	switch age := f.Now.UnixMilli() - asOf.UnixMilli(); {
	case f.MaxAge == 0:
		return fence.NoCause
	case age > most:
		return fence.Outdated
	case age < -most:
		return fence.Future
	}
	return fence.NoCause
}
