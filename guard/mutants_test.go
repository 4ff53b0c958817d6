package guard_test

import (
	"testing"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

type (
	decideFunc    = func(guard.Rule, guard.Mark, guard.Write, fence.Token) (guard.Mark, fence.Verdict)
	establishFunc = func(guard.Mark, fence.Fence, fence.Token) (guard.Mark, fence.Verdict)
)

// TestSearchHasTeeth gives each mutant of the decision to the search, which must
// find a broken invariant. Each leaves out or turns round one thing.
func TestSearchHasTeeth(t *testing.T) {
	t.Parallel()
	all := []guard.Rule{guard.Once, guard.Sequenced, guard.Latest}
	for name, mutant := range map[string]struct {
		rules     []guard.Rule
		decide    decideFunc
		establish establishFunc
		landed    func(fence.Verdict, guard.Write, uint64, string) fence.Verdict
	}{
		"no guard":                  {rules: all, decide: decideNothing},
		"stale is admitted":         {rules: all, decide: decideStale},
		"stale by < becomes <=":     {rules: all, decide: decideOrEqual},
		"older and newer swapped":   {rules: all, decide: decideSwapped},
		"mark not stored":           {rules: all, decide: decideForgets},
		"refusal stores the mark":   {rules: all, decide: decideStoresAlways},
		"no mark is zero":           {rules: all, decide: decideCreates},
		"any lease":                 {rules: all, decide: decideAnyLease},
		"any number":                {rules: all, decide: decideAnyNumber},
		"establish any number":      {rules: all, establish: establishPoison},
		"establish lowers":          {rules: all, establish: establishLowers},
		"establish does nothing":    {rules: all, establish: establishNothing},
		"establish refuses again":   {rules: all, establish: establishRefusesEqual},
		"establish restarts a term": {rules: all[:2], establish: establishRestarts},
		"establish uses Once up":    {rules: all[:1], establish: establishUses},
		"gap is admitted":           {rules: all[1:2], decide: decideGap},
		"new term starts anywhere":  {rules: all[1:2], decide: decideStartsAnywhere},
		"new term goes on with seq": {rules: all[1:2], decide: decideGoesOn},
		"duplicate is applied":      {rules: all[:2], decide: decideTwice},
		"key is not compared":       {rules: all[:2], decide: decideNoKey},
		"duplicate called conflict": {rules: all[:2], decide: decideAlarms},
		"duplicate called refused":  {rules: all[1:2], decide: decideOldIsGap},
		"everything landed":         {rules: all[1:2], landed: landedAlways},
		"nothing landed":            {rules: all[1:2], landed: landedNever},
		"landed without the last":   {rules: all[1:2], landed: landedBefore},
		"landed without the key":    {rules: all[1:2], landed: landedAnyKey},
		"landed for other verdicts": {rules: all[1:2], landed: landedAnyCause},
	} {
		for _, r := range mutant.rules {
			t.Run(name+"/"+r.String(), func(t *testing.T) {
				t.Parallel()
				m := sound()
				if mutant.decide != nil {
					m.decide = mutant.decide
				}
				if mutant.establish != nil {
					m.establish = mutant.establish
				}
				if mutant.landed != nil {
					m.landed = mutant.landed
				}
				_, err := search(r, m)
				if err == nil {
					t.Fatal("the search finds nothing wrong with this mutant")
				}
				t.Log(err)
			})
		}
	}
}

func admit(r guard.Rule, m guard.Mark, w guard.Write) (guard.Mark, fence.Verdict) {
	next := guard.Mark{Lease: m.Lease, Token: w.Fence.Token, Seq: w.Seq, Key: w.Key}
	if r == guard.Once {
		next.Seq = 1
	}
	return next, fence.Verdict{Outcome: fence.Admitted, Fence: w.Fence, Mark: next.Token}
}

func decideNothing(r guard.Rule, m guard.Mark, w guard.Write, _ fence.Token) (guard.Mark, fence.Verdict) {
	return admit(r, m, w)
}

func decideStale(r guard.Rule, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
	next, v := guard.Decide(r, m, w, limit)
	if v.Cause != fence.Superseded {
		return next, v
	}
	_, v = admit(r, m, w)
	v.Mark = m.Token
	return m, v
}

func decideOrEqual(r guard.Rule, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
	if w.Fence.Token == m.Token && w.Fence.Name == m.Lease {
		return m, fence.Verdict{Outcome: fence.Refused, Cause: fence.Superseded, Mark: m.Token}
	}
	return guard.Decide(r, m, w, limit)
}

func decideSwapped(r guard.Rule, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
	if m.Established() && w.Fence.Name == m.Lease && w.Fence.Token > m.Token && w.Fence.Token <= limit {
		return m, fence.Verdict{Outcome: fence.Refused, Cause: fence.Superseded, Mark: m.Token}
	}
	return decideStale(r, m, w, limit)
}

func decideForgets(r guard.Rule, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
	_, v := guard.Decide(r, m, w, limit)
	return m, v
}

func decideStoresAlways(r guard.Rule, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
	next, v := guard.Decide(r, m, w, limit)
	if v.Outcome == fence.Refused && v.Cause != fence.Invalid {
		next.Token = max(m.Token, w.Fence.Token)
	}
	return next, v
}

func decideCreates(r guard.Rule, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
	if !m.Established() && w.Fence.Name == m.Lease && w.Fence.Token <= limit {
		return admit(r, m, w)
	}
	return guard.Decide(r, m, w, limit)
}

func decideAnyLease(r guard.Rule, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
	w.Fence.Name = m.Lease
	return guard.Decide(r, m, w, limit)
}

func decideAnyNumber(r guard.Rule, m guard.Mark, w guard.Write, _ fence.Token) (guard.Mark, fence.Verdict) {
	return guard.Decide(r, m, w, fence.MaxToken)
}

func decideGap(r guard.Rule, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
	next, v := guard.Decide(r, m, w, limit)
	if v.Cause == fence.OutOfSequence && w.Fence.Token == m.Token {
		return admit(r, m, w)
	}
	return next, v
}

func decideStartsAnywhere(r guard.Rule, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
	next, v := guard.Decide(r, m, w, limit)
	if v.Cause == fence.OutOfSequence && w.Fence.Token > m.Token {
		return admit(r, m, w)
	}
	return next, v
}

func decideGoesOn(r guard.Rule, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
	if m.Established() && w.Fence.Name == m.Lease && w.Fence.Token > m.Token && w.Fence.Token <= limit {
		m.Token = w.Fence.Token
	}
	return guard.Decide(r, m, w, limit)
}

func decideTwice(r guard.Rule, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
	next, v := guard.Decide(r, m, w, limit)
	if v.Outcome == fence.Duplicate && w.Key == m.Key {
		return admit(r, m, w)
	}
	return next, v
}

func decideNoKey(r guard.Rule, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
	next, v := guard.Decide(r, m, w, limit)
	if v.Cause == fence.Conflict {
		v.Outcome, v.Cause = fence.Duplicate, fence.NoCause
	}
	return next, v
}

func decideAlarms(r guard.Rule, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
	next, v := guard.Decide(r, m, w, limit)
	if v.Outcome == fence.Duplicate {
		v.Outcome, v.Cause = fence.Refused, fence.Conflict
	}
	return next, v
}

func decideOldIsGap(r guard.Rule, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
	next, v := guard.Decide(r, m, w, limit)
	if v.Outcome == fence.Duplicate && w.Seq < m.Seq {
		v.Outcome, v.Cause = fence.Refused, fence.OutOfSequence
	}
	return next, v
}

func establishPoison(m guard.Mark, f fence.Fence, _ fence.Token) (guard.Mark, fence.Verdict) {
	return guard.Establish(m, f, fence.MaxToken)
}

func establishLowers(m guard.Mark, f fence.Fence, limit fence.Token) (guard.Mark, fence.Verdict) {
	next, v := guard.Establish(m, f, limit)
	if v.Cause == fence.Superseded {
		return guard.Establish(guard.Mark{Lease: m.Lease}, f, limit)
	}
	return next, v
}

func establishNothing(m guard.Mark, f fence.Fence, limit fence.Token) (guard.Mark, fence.Verdict) {
	_, v := guard.Establish(m, f, limit)
	return m, v
}

func establishRefusesEqual(m guard.Mark, f fence.Fence, limit fence.Token) (guard.Mark, fence.Verdict) {
	if f.Token == m.Token && f.Name == m.Lease {
		return m, fence.Verdict{Outcome: fence.Refused, Cause: fence.Conflict, Mark: m.Token}
	}
	return guard.Establish(m, f, limit)
}

func establishRestarts(m guard.Mark, f fence.Fence, limit fence.Token) (guard.Mark, fence.Verdict) {
	next, v := guard.Establish(m, f, limit)
	if v.Outcome == fence.Admitted {
		next.Seq, next.Key = 0, ""
	}
	return next, v
}

func establishUses(m guard.Mark, f fence.Fence, limit fence.Token) (guard.Mark, fence.Verdict) {
	next, v := guard.Establish(m, f, limit)
	if v.Outcome == fence.Admitted && next.Seq == 0 {
		next.Seq = 1
	}
	return next, v
}

func landedAlways(v fence.Verdict, _ guard.Write, _ uint64, _ string) fence.Verdict {
	v.Landed = v.Cause == fence.Superseded
	return v
}

func landedNever(v fence.Verdict, _ guard.Write, _ uint64, _ string) fence.Verdict { return v }

func landedBefore(v fence.Verdict, w guard.Write, last uint64, _ string) fence.Verdict {
	v.Landed = v.Cause == fence.Superseded && w.Seq < last
	return v
}

func landedAnyKey(v fence.Verdict, w guard.Write, last uint64, _ string) fence.Verdict {
	v.Landed = v.Cause == fence.Superseded && w.Seq <= last
	return v
}

func landedAnyCause(v fence.Verdict, w guard.Write, last uint64, key string) fence.Verdict {
	v.Landed = w.Seq < last || w.Seq == last && w.Key == key
	return v
}
