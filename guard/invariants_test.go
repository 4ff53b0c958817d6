package guard_test

import (
	"fmt"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// check reports the invariant that the step from before to after breaks.
func check(r guard.Rule, before, after world, msg message, v fence.Verdict) error {
	for _, c := range []func(guard.Rule, world, world, message, fence.Verdict) string{
		onlyFreshInputs, markNeverFalls, markFollowsAnswers, refusalsChangeNothing, onlyGoodFences,
		nothingOlderLands, nothingBeforeMark, supersededIsTrue, currentTermGoesOn,
	} {
		if s := c(r, before, after, msg, v); s != "" {
			return fmt.Errorf("%s: %s", s, v)
		}
	}
	if !msg.establish {
		if s := ruleHolds(r, before, after, msg.Write, v); s != "" {
			return fmt.Errorf("%s: %s", s, v)
		}
	}
	return nil
}

func markNeverFalls(_ guard.Rule, before, after world, _ message, _ fence.Verdict) string {
	if after.mark.Token < before.mark.Token {
		return "the mark fell"
	}
	return ""
}

func markFollowsAnswers(_ guard.Rule, _, after world, _ message, v fence.Verdict) string {
	if after.mark.Token != after.high || v.Mark != after.mark.Token {
		return fmt.Sprintf("the mark is %d, the highest token admitted %d, the verdict says %d", after.mark.Token, after.high, v.Mark)
	}
	return ""
}

func refusalsChangeNothing(_ guard.Rule, before, after world, _ message, v fence.Verdict) string {
	if v.Outcome != fence.Admitted && after.mark != before.mark {
		return "a write that was not admitted changed the mark"
	}
	return ""
}

// onlyGoodFences: a fence of another lease or from the future is refused as
// such, before any other reason.
func onlyGoodFences(_ guard.Rule, _, _ world, msg message, v fence.Verdict) string {
	want := fence.NoCause
	switch {
	case msg.Fence.Name != "job":
		want = fence.Invalid
	case msg.Fence.Token > limit:
		want = fence.Future
	case (v.Cause == fence.Invalid || v.Cause == fence.Future) && aged(msg) == fresh:
		return "a good fence was refused as a bad one"
	default:
		return ""
	}
	if v.Outcome != fence.Refused || v.Cause != want {
		return "want refused: " + want.String()
	}
	return ""
}

func nothingOlderLands(_ guard.Rule, before, _ world, msg message, v fence.Verdict) string {
	if v.Outcome == fence.Admitted && msg.Fence.Token < before.high {
		return fmt.Sprintf("token %d was admitted after %d", msg.Fence.Token, before.high)
	}
	return ""
}

func nothingBeforeMark(_ guard.Rule, before, _ world, msg message, v fence.Verdict) string {
	missing := before.high == 0
	switch {
	case !msg.establish && missing && v.OK():
		return "a resource without a mark took a write"
	case v.Cause == fence.NotEstablished && (!missing || msg.establish):
		return "not_established, although it is or the message establishes it"
	}
	return ""
}

func supersededIsTrue(_ guard.Rule, before, _ world, msg message, v fence.Verdict) string {
	good := msg.Fence.Name == "job" && msg.Fence.Token <= limit
	if older := good && msg.Fence.Token < before.high; older != (v.Cause == fence.Superseded) {
		return "superseded must be answered to an older token and to no other"
	}
	return ""
}

// currentTermGoesOn: the guard refuses the stale and nobody else. A term that is
// not older may establish again and again, and its next write is admitted.
func currentTermGoesOn(r guard.Rule, before, _ world, msg message, v fence.Verdict) string {
	f := msg.Fence
	current := f.Name == "job" && f.Token <= limit && f.Token >= before.high
	if !current || !msg.establish && before.high == 0 || aged(msg) != fresh {
		return ""
	}
	next := msg.establish || r == guard.Latest || place(r, msg.Write) == before.count(f.Token)+1
	if next && v.Outcome != fence.Admitted {
		return "the current term's next step was not admitted"
	}
	return ""
}

// place is where a write stands in its term: every write of a Once term claims the first place.
func place(r guard.Rule, w guard.Write) int {
	if r == guard.Once {
		return 1
	}
	return op(w)
}

// count is how many writes of a term were applied.
func (w world) count(token fence.Token) (n int) {
	for _, c := range w.applied[token] {
		n += int(c.total())
	}
	return n
}

func ruleHolds(r guard.Rule, before, after world, w guard.Write, v fence.Verdict) string {
	mine := before.applied[min(w.Fence.Token, terms+1)][op(w)]
	same, earlier := *mine.of(w.Key) > 0, mine.total() > 0
	switch r {
	case guard.Once:
		if after.count(min(w.Fence.Token, terms+1)) > 1 {
			return "a term published twice"
		}
		if v.Outcome == fence.Duplicate && !same {
			return "duplicate, although this write was never applied"
		}
		if v.Cause == fence.Conflict && (same || before.count(w.Fence.Token) == 0) {
			return "conflict, although no other write of the term was applied"
		}
	case guard.Sequenced:
		return sequenceHolds(after, w, v, same, earlier)
	case guard.Latest:
		if v.Outcome == fence.Duplicate || v.Cause == fence.Conflict || v.Cause == fence.OutOfSequence {
			return "latest can't know that"
		}
	}
	return ""
}

func sequenceHolds(after world, w guard.Write, v fence.Verdict, same, earlier bool) string {
	token := min(w.Fence.Token, terms+1)
	ended := false
	for _, c := range after.applied[token][1:] {
		switch {
		case c.total() > 1:
			return "a place in the sequence was applied twice"
		case c.total() == 1 && ended:
			return "a write was applied after a gap"
		}
		ended = ended || c.total() == 0
	}
	isLast := op(w) == after.count(token)
	switch {
	case v.Outcome == fence.Duplicate && !(same || earlier && !isLast):
		return "duplicate, although nothing was applied there, or another write was and is the last"
	case v.Cause == fence.Conflict && (same || !earlier || !isLast):
		return "conflict, although no other write was applied last"
	case v.Cause == fence.OutOfSequence && op(w) <= after.count(token)+1:
		return "out of sequence, although nothing is missing"
	case v.Cause == fence.Superseded && isLast && v.Landed != same:
		return "the answer to 'did it land?' is wrong for the last write"
	case v.Cause == fence.Superseded && !isLast && v.Landed != earlier:
		return "the answer to 'did it land?' is wrong"
	case v.Cause != fence.Superseded && v.Landed:
		return "landed is said of a write that was not superseded"
	}
	return ""
}
