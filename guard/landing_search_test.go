package guard_test

import (
	"fmt"
	"testing"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// The search of what LandingOf says: up to three copies of one write are sent, and the
// network loses each, loses its answer, holds it back, or does neither. Before each of
// them another may act. Then all that was held back arrives. What was said of the write
// must be true of the resource that is left.

// fate is what becomes of a copy.
type fate int

const (
	lost fate = iota
	unanswered
	heldBack
	answered
)

// rival is what another does before a copy arrives.
type rival int

const (
	idle rival = iota
	establishes
	writesNewer
	takesThePlace // with another key: a second holder of the term
	ages          // time passes, and the inputs of the write are outdated
	rivals
)

type landingOf = func(guard.Rule, fence.Verdict) guard.Landing

// resource is one, and how often the write in question was applied to it.
type resource struct {
	rule    guard.Rule
	mark    guard.Mark
	last    map[fence.Token]guard.Mark
	old     bool
	applied int
}

var watched = guard.Write{Fence: job(2), Key: "own", AsOf: fence.Epoch}

func (r *resource) write(w guard.Write) fence.Verdict {
	if r.rule == guard.Sequenced {
		w.Seq = 1
	}
	f := guard.Freshness{MaxAge: 1e9, Now: fence.Epoch}
	if r.old {
		f.Now = f.Now.Add(2 * f.MaxAge)
	}
	next, v := guard.DecideFresh(r.rule, r.mark, w, limit, f)
	if v.Outcome == fence.Admitted {
		r.mark, r.last[w.Fence.Token] = next, next
		if w.Key == watched.Key {
			r.applied++
		}
	}
	if last := r.last[w.Fence.Token]; r.rule == guard.Sequenced {
		v = guard.Landed(v, w, last.Seq, last.Key)
	}
	return v
}

func (r *resource) act(a rival) {
	newer := guard.Write{Fence: job(3), Key: "newer", AsOf: watched.AsOf.Add(2e9)}
	switch a {
	case establishes:
		r.mark, _ = guard.Establish(r.mark, newer.Fence, limit)
	case writesNewer:
		r.write(newer)
	case takesThePlace:
		w := watched
		w.Key, w.AsOf = "rival", newer.AsOf
		r.write(w)
	case ages:
		r.old = true
	}
}

// play runs one course, and reports what is wrong with what was said at its end.
func play(rule guard.Rule, say landingOf, rivals []rival, fates []fate) error {
	r := &resource{rule: rule, mark: guard.Mark{Lease: "job", Token: 2}, last: map[fence.Token]guard.Mark{}}
	said, held := guard.StillUnknown, 0
	var v fence.Verdict
	for i, f := range fates {
		r.act(rivals[i])
		switch f {
		case unanswered:
			r.write(watched)
		case heldBack:
			held++
		case answered:
			v = r.write(watched)
			said = say(rule, v)
		}
	}
	for range held {
		r.write(watched)
	}
	switch {
	case said == guard.HasLanded && r.applied == 0, said == guard.NeverLands && r.applied > 0:
		return fmt.Errorf("%s is said after %v, and the write was applied %d times", said, v, r.applied)
	case r.applied > 1 && rule != guard.Latest:
		return fmt.Errorf("it was applied %d times", r.applied)
	case said == guard.StillUnknown && v.Outcome != fence.Unknown && rule == guard.Sequenced:
		return fmt.Errorf("nothing is said after %v, which is an answer", v)
	case said == guard.StillUnknown && v.OK():
		return fmt.Errorf("nothing is said after %v", v)
	}
	return nil
}

// courses plays every course of up to three copies.
func courses(rule guard.Rule, say landingOf) (n int, err error) {
	const copies = 3
	for who := range rivals * rivals * rivals {
		for how := range (answered + 1) * (answered + 1) {
			acts := []rival{who % rivals, who / rivals % rivals, who / rivals / rivals}
			fates := []fate{how % (answered + 1), how / (answered + 1), answered}
			for drop := range copies {
				n++
				if err := play(rule, say, acts[drop:], fates[drop:]); err != nil {
					return n, fmt.Errorf("rivals %v, fates %v: %w", acts[drop:], fates[drop:], err)
				}
			}
		}
	}
	return n, nil
}

func TestLandingIsTrue(t *testing.T) {
	t.Parallel()
	for _, rule := range []guard.Rule{guard.Once, guard.Sequenced, guard.Latest} {
		n, err := courses(rule, guard.LandingOf)
		if err != nil {
			t.Errorf("%s: %v", rule, err)
		}
		t.Logf("%s: %d courses", rule, n)
	}
}

// TestLandingHasTeeth gives mutants of LandingOf to the search.
func TestLandingHasTeeth(t *testing.T) {
	t.Parallel()
	all := []guard.Rule{guard.Once, guard.Sequenced, guard.Latest}
	instead := func(when func(guard.Rule, fence.Verdict) bool, l guard.Landing) landingOf {
		return func(r guard.Rule, v fence.Verdict) guard.Landing {
			if when(r, v) {
				return l
			}
			return guard.LandingOf(r, v)
		}
	}
	because := func(c fence.Cause) func(guard.Rule, fence.Verdict) bool {
		return func(_ guard.Rule, v fence.Verdict) bool { return v.Cause == c }
	}
	for name, mutant := range map[string]struct {
		rules []guard.Rule
		say   landingOf
	}{
		"superseded never landed":  {all, instead(because(fence.Superseded), guard.NeverLands)},
		"superseded landed":        {all, instead(because(fence.Superseded), guard.HasLanded)},
		"superseded tells nothing": {all[1:2], instead(because(fence.Superseded), guard.StillUnknown)},
		"any refusal is final":     {[]guard.Rule{guard.Once, guard.Latest}, instead(func(_ guard.Rule, v fence.Verdict) bool { return v.Outcome == fence.Refused && !v.Landed }, guard.NeverLands)},
		"conflict landed":          {all[:2], instead(because(fence.Conflict), guard.HasLanded)},
		"outdated landed":          {all, instead(because(fence.Outdated), guard.HasLanded)},
		"outdated is final":        {all[2:], instead(because(fence.Outdated), guard.NeverLands)},
		"a duplicate is nothing":   {all[:2], instead(func(_ guard.Rule, v fence.Verdict) bool { return v.Outcome == fence.Duplicate }, guard.StillUnknown)},
		"admitted is not known":    {all, instead(func(_ guard.Rule, v fence.Verdict) bool { return v.Outcome == fence.Admitted }, guard.StillUnknown)},
		"the rule does not matter": {all[:1], func(_ guard.Rule, v fence.Verdict) guard.Landing { return guard.LandingOf(guard.Sequenced, v) }},
	} {
		for _, rule := range mutant.rules {
			if _, err := courses(rule, mutant.say); err == nil {
				t.Errorf("%s, %s: the search finds nothing wrong with this mutant", name, rule)
			}
		}
	}
}
