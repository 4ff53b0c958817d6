package broken

import (
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// ages changes the time of a write's inputs before it is decided on.
func ages(f func(r *memory, m guard.Mark, w guard.Write) time.Time) func(*memory) {
	return decides(func(r *memory, right decision, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
		if r.maxAge > 0 {
			w.AsOf = f(r, m, w)
		}
		return right(m, w, limit)
	})
}

var (
	undatedIsNow = ages(func(_ *memory, _ guard.Mark, w guard.Write) time.Time {
		if w.AsOf.IsZero() {
			return present()
		}
		return w.AsOf
	})
	futureIsNow = ages(func(_ *memory, _ guard.Mark, w guard.Write) time.Time {
		if w.AsOf.After(present()) {
			return present()
		}
		return w.AsOf
	})
	freshSinceEstablished = ages(func(r *memory, m guard.Mark, w guard.Write) time.Time {
		if oldest := present().Add(-r.maxAge); w.AsOf.Before(oldest) && !w.AsOf.IsZero() && w.Fence.Token == m.Token {
			return oldest
		}
		return w.AsOf
	})
	outdatedRaises = decides(func(r *memory, right decision, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
		next, v := right(m, w, limit)
		if v.Cause == fence.Outdated {
			r.mark.Token = max(m.Token, w.Fence.Token)
		}
		return next, v
	})
)

// instead calls a write outdated, if its inputs are, where the right answer is another one.
func instead(o fence.Outcome, c fence.Cause) func(*memory) {
	return decides(func(r *memory, right decision, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
		next, v := right(m, w, limit)
		if old := r.maxAge > 0 && present().Sub(w.AsOf) > r.maxAge; old && v.Outcome == o && v.Cause == c {
			v.Outcome, v.Cause = fence.Refused, fence.Outdated
		}
		return next, v
	})
}
