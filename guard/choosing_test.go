package guard_test

import (
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// What each rule leaves open, as docs/guards/README.md says it. A test here fails when
// the page promises too little.

// history judges writes one after the other, and remembers the last of each term.
type history struct {
	rule guard.Rule
	mark guard.Mark
	last map[fence.Token]guard.Mark
}

func newHistory(r guard.Rule, established fence.Token) *history {
	return &history{r, guard.Mark{Lease: "job", Token: established}, map[fence.Token]guard.Mark{}}
}

func (h *history) write(w guard.Write) fence.Verdict {
	next, v := guard.Decide(h.rule, h.mark, w, noLimit)
	h.mark = next
	if v.Outcome == fence.Admitted {
		h.last[w.Fence.Token] = next
	}
	if last := h.last[w.Fence.Token]; h.rule == guard.Sequenced {
		v = guard.Landed(v, w, last.Seq, last.Key)
	}
	return v
}

func (h *history) establish(token fence.Token) {
	h.mark, _ = guard.Establish(h.mark, job(token), noLimit)
}

func (h *history) want(t *testing.T, w guard.Write, o fence.Outcome, c fence.Cause) fence.Verdict {
	t.Helper()
	v := h.write(w)
	if v.Outcome != o || v.Cause != c {
		t.Errorf("%s, %+v: %v; want %s, %s", h.rule, w, v, o, c)
	}
	return v
}

// TestOldTokenCountsUntilANewerOneHasBeenThere: token 6 was granted long ago, and the
// resource does not know.
func TestOldTokenCountsUntilANewerOneHasBeenThere(t *testing.T) {
	t.Parallel()
	for _, rule := range []guard.Rule{guard.Once, guard.Sequenced, guard.Latest} {
		h := newHistory(rule, 5)
		w := func(token fence.Token, seq uint64) guard.Write {
			w := guard.Write{Fence: job(token), Key: token.String()}
			if rule == guard.Sequenced {
				w.Seq = seq
			}
			return w
		}
		h.want(t, w(5, 1), fence.Admitted, fence.NoCause)
		h.establish(6)
		h.want(t, w(5, 2), fence.Refused, fence.Superseded)
		h.want(t, w(6, 1), fence.Admitted, fence.NoCause)
	}
}

func TestLatestTakesACopyForANewWrite(t *testing.T) {
	t.Parallel()
	h := newHistory(guard.Latest, 5)
	earlier, later := guard.Write{Fence: job(5), Key: "earlier"}, guard.Write{Fence: job(5), Key: "later"}
	h.want(t, earlier, fence.Admitted, fence.NoCause)
	h.want(t, later, fence.Admitted, fence.NoCause)
	h.want(t, earlier, fence.Admitted, fence.NoCause) // and what was later is overwritten
}

func TestOnceForgetsASupersededTerm(t *testing.T) {
	t.Parallel()
	h := newHistory(guard.Once, 5)
	landed, not := guard.Write{Fence: job(5), Key: "landed"}, guard.Write{Fence: job(5), Key: "not"}
	h.want(t, landed, fence.Admitted, fence.NoCause)
	h.establish(6)
	if a, b := h.want(t, landed, fence.Refused, fence.Superseded), h.want(t, not, fence.Refused, fence.Superseded); a != b {
		t.Errorf("%v and %v are told apart", a, b)
	}
}

func TestSequencedKnowsTheKeyOfTheLastWriteOnly(t *testing.T) {
	t.Parallel()
	h := newHistory(guard.Sequenced, 5)
	h.want(t, guard.Write{Fence: job(5), Seq: 1, Key: "own"}, fence.Admitted, fence.NoCause)
	rival := guard.Write{Fence: job(5), Seq: 1, Key: "rival"}
	h.want(t, rival, fence.Refused, fence.Conflict)
	h.want(t, guard.Write{Fence: job(5), Seq: 2, Key: "own"}, fence.Admitted, fence.NoCause)
	h.want(t, rival, fence.Duplicate, fence.NoCause)
}

func TestLateWriteCountsWhileNobodySucceeds(t *testing.T) {
	t.Parallel()
	h := newHistory(guard.Latest, 5)
	w := guard.Write{Fence: job(5)} // no time is part of it, so that its term may have ended long ago
	h.want(t, w, fence.Admitted, fence.NoCause)
}

func TestInventedTokenOfLessThanADayCounts(t *testing.T) {
	t.Parallel()
	now := time.Now()
	invented := fence.TickOf(now.Add(23 * time.Hour)).First()
	mark := guard.Mark{Lease: "job", Token: fence.TickOf(now).First()}
	mark, v := guard.Decide(guard.Latest, mark, guard.Write{Fence: job(invented)}, fence.FutureLimit(fence.TickOf(now)))
	if !v.OK() {
		t.Fatal(v)
	}
	if _, v := guard.Decide(guard.Latest, mark, guard.Write{Fence: job(fence.TickOf(now).First() + 1)}, noLimit); v.Cause != fence.Superseded {
		t.Errorf("the real holder after it: %v", v)
	}
}

// TestAgeIsAsTheWriterSaysIt: a writer's clock that is ahead by no more than the limit
// makes old inputs look fresh.
func TestAgeIsAsTheWriterSaysIt(t *testing.T) {
	t.Parallel()
	now := time.Now()
	f := guard.Freshness{MaxAge: time.Minute, Now: now}
	for age, want := range map[time.Duration]fence.Cause{
		90 * time.Second: fence.Outdated, 90*time.Second - time.Minute: fence.NoCause, -2 * time.Minute: fence.Future,
	} {
		w := guard.Write{Fence: job(5), AsOf: now.Add(-age)}
		if _, v := guard.DecideFresh(guard.Latest, guard.Mark{Lease: "job", Token: 5}, w, noLimit, f); v.Cause != want {
			t.Errorf("age %s: %v; want %s", age, v, want)
		}
	}
}
