package guard_test

import (
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// The same search at a resource that limits the age of inputs: each write also comes
// with inputs that are too old, and with inputs of a time that is not yet.

var freshness = guard.Freshness{MaxAge: time.Minute, Now: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)}

// age is what the resource finds of a write's inputs.
type age int

const (
	fresh age = iota
	outdated
	ahead
)

func aged(msg message) age {
	switch at := msg.AsOf; {
	case at.IsZero():
		return fresh
	case at.Before(freshness.Now.Add(-freshness.MaxAge)):
		return outdated
	case at.After(freshness.Now.Add(freshness.MaxAge)):
		return ahead
	}
	return fresh
}

func decideFresh(r guard.Rule, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
	return guard.DecideFresh(r, m, w, limit, freshness)
}

// dated is the machine that limits the age of inputs. The ages stand at both sides
// of each border.
func dated(decide decideFunc) machine {
	m := sound()
	m.decide, m.ages = decide, nil
	for _, border := range []time.Duration{-freshness.MaxAge, freshness.MaxAge} {
		at := freshness.Now.Add(border)
		m.ages = append(m.ages, at, at.Add(border/border.Abs()*time.Millisecond))
	}
	return m
}

// onlyFreshInputs: nothing of another age is applied, and its cause is told where
// nothing else refuses it: a fence takes precedence, and so does what was applied.
func onlyFreshInputs(_ guard.Rule, before, _ world, msg message, v fence.Verdict) string {
	if msg.establish {
		return ""
	}
	a := aged(msg)
	applied := *before.applied[min(msg.Fence.Token, terms+1)][op(msg.Write)].of(msg.Key) > 0
	switch {
	case a != fresh && v.Outcome == fence.Admitted:
		return "inputs that don't count were admitted"
	case v.Cause == fence.Outdated && a != outdated:
		return "fresh inputs were refused as outdated"
	case v.Cause == fence.Outdated && applied:
		return "outdated is said of a write that was applied"
	case v.Cause == fence.Future && a != ahead && msg.Fence.Token <= limit:
		return "inputs were refused as of the future, and are not"
	case a == outdated && (v.Cause == fence.Invalid || v.Cause == fence.Future) && msg.Fence.Name == "job" && msg.Fence.Token <= limit:
		return "outdated inputs have a cause of their own"
	}
	return ""
}

func TestFreshSearchHolds(t *testing.T) {
	t.Parallel()
	for _, r := range []guard.Rule{guard.Once, guard.Sequenced, guard.Latest} {
		plain, _ := search(r, sound())
		states, err := search(r, dated(decideFresh))
		if err != nil {
			t.Errorf("%s: %v", r, err)
		}
		if states != plain {
			t.Errorf("%s: %d states, and %d without the limit: old inputs leave something behind", r, states, plain)
		}
	}
}

// TestFreshSearchHasTeeth gives mutants of the limit to the search.
func TestFreshSearchHasTeeth(t *testing.T) {
	t.Parallel()
	all := []guard.Rule{guard.Once, guard.Sequenced, guard.Latest}
	refused := func(m guard.Mark, w guard.Write, c fence.Cause) (guard.Mark, fence.Verdict) {
		return m, fence.Verdict{Outcome: fence.Refused, Cause: c, Fence: w.Fence, Mark: m.Token}
	}
	limited := func(d time.Duration) decideFunc {
		return func(r guard.Rule, m guard.Mark, w guard.Write, limit fence.Token) (guard.Mark, fence.Verdict) {
			return guard.DecideFresh(r, m, w, limit, guard.Freshness{MaxAge: d, Now: freshness.Now})
		}
	}
	for name, mutant := range map[string]struct {
		rules  []guard.Rule
		decide decideFunc
	}{
		"no limit":           {all, guard.Decide},
		"a millisecond more": {all, limited(freshness.MaxAge + time.Millisecond)},
		"a millisecond less": {all, limited(freshness.MaxAge - time.Millisecond)},
		"before the fence": {all, func(r guard.Rule, m guard.Mark, w guard.Write, l fence.Token) (guard.Mark, fence.Verdict) {
			if w.AsOf.Before(freshness.Now.Add(-freshness.MaxAge)) {
				return refused(m, w, fence.Outdated)
			}
			return decideFresh(r, m, w, l)
		}},
		"before the sequence": {all[:2], func(r guard.Rule, m guard.Mark, w guard.Write, l fence.Token) (guard.Mark, fence.Verdict) {
			next, v := decideFresh(r, m, w, l)
			if v.Outcome == fence.Duplicate && w.AsOf.Before(freshness.Now.Add(-freshness.MaxAge)) {
				return refused(m, w, fence.Outdated)
			}
			return next, v
		}},
		"raises the mark": {all, func(r guard.Rule, m guard.Mark, w guard.Write, l fence.Token) (guard.Mark, fence.Verdict) {
			next, v := decideFresh(r, m, w, l)
			if v.Cause == fence.Outdated {
				next.Token = w.Fence.Token
			}
			return next, v
		}},
		"the future counts": {all, func(r guard.Rule, m guard.Mark, w guard.Write, l fence.Token) (guard.Mark, fence.Verdict) {
			if w.AsOf.After(freshness.Now) {
				w.AsOf = freshness.Now
			}
			return decideFresh(r, m, w, l)
		}},
		"called superseded": {all, func(r guard.Rule, m guard.Mark, w guard.Write, l fence.Token) (guard.Mark, fence.Verdict) {
			next, v := decideFresh(r, m, w, l)
			if v.Cause == fence.Outdated {
				v.Cause = fence.Superseded
			}
			return next, v
		}},
	} {
		for _, r := range mutant.rules {
			t.Run(name+"/"+r.String(), func(t *testing.T) {
				t.Parallel()
				if _, err := search(r, dated(mutant.decide)); err == nil {
					t.Error("the search finds nothing wrong with this mutant")
				}
			})
		}
	}
}

func TestInputsNeedATimeWhereTheirAgeIsLimited(t *testing.T) {
	t.Parallel()
	mark := guard.Mark{Lease: "job", Token: 5}
	for name, at := range map[string]time.Time{
		"none": {}, "before 1970": time.Date(1969, 12, 31, 23, 0, 0, 0, time.UTC), "year 10000": time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		w := guard.Write{Fence: job(6), AsOf: at}
		if next, v := decideFresh(guard.Latest, mark, w, noLimit); v.Cause != fence.Invalid || next != mark {
			t.Errorf("%s: %v, mark %+v; want it refused as invalid", name, v, next)
		}
	}
	if _, v := guard.Decide(guard.Latest, mark, guard.Write{Fence: job(6), AsOf: fence.Epoch}, noLimit); !v.OK() {
		t.Errorf("an old time where nothing limits it: %v", v)
	}
	for d, ok := range map[time.Duration]bool{0: true, time.Millisecond: true, time.Hour: true, -1: false, 1: false, time.Hour + 1: false} {
		if err := guard.CheckMaxAge(d); (err == nil) != ok {
			t.Errorf("CheckMaxAge(%s): %v", d, err)
		}
	}
}
