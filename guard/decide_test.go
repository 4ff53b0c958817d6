package guard_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

const noLimit = fence.MaxToken

func job(token fence.Token) fence.Fence { return fence.Fence{Name: "job", Token: token} }

func TestBadWritesTouchNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rule  guard.Rule
		write guard.Write
	}{
		"no rule":           {0, guard.Write{Fence: job(5)}},
		"rule out of range": {9, guard.Write{Fence: job(5)}},
		"token 0":           {guard.Latest, guard.Write{Fence: job(0)}},
		"token below 0":     {guard.Latest, guard.Write{Fence: job(-1)}},
		"token 2^53":        {guard.Latest, guard.Write{Fence: job(1 << 53)}},
		"no name":           {guard.Latest, guard.Write{Fence: fence.Fence{Token: 5}}},
		"another lease":     {guard.Latest, guard.Write{Fence: fence.Fence{Name: "Job", Token: 9}}},
		"seq 0":             {guard.Sequenced, guard.Write{Fence: job(5), Key: "k"}},
		"seq 2^53":          {guard.Sequenced, guard.Write{Fence: job(5), Seq: 1 << 53, Key: "k"}},
		"seq without rule":  {guard.Once, guard.Write{Fence: job(5), Seq: 1, Key: "k"}},
		"seq under latest":  {guard.Latest, guard.Write{Fence: job(5), Seq: 1}},
		"no key, once":      {guard.Once, guard.Write{Fence: job(5)}},
		"no key, sequenced": {guard.Sequenced, guard.Write{Fence: job(5), Seq: 1}},
		"257 bytes of key":  {guard.Once, guard.Write{Fence: job(5), Key: strings.Repeat("k", 257)}},
		"NUL in key":        {guard.Once, guard.Write{Fence: job(5), Key: "a\x00"}},
		"key not UTF-8":     {guard.Latest, guard.Write{Fence: job(5), Key: "\xff"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := guard.Mark{Lease: "job", Token: 4}
			after, v := guard.Decide(c.rule, before, c.write, noLimit)
			if v.Outcome != fence.Refused || v.Cause != fence.Invalid || after != before {
				t.Errorf("got %v and mark %+v", v, after)
			}
		})
	}
}

func TestCausesTakePrecedence(t *testing.T) {
	t.Parallel()
	w := func(f fence.Fence) guard.Write { return guard.Write{Fence: f} }
	for _, c := range []struct {
		mark  guard.Mark
		write guard.Write
		want  fence.Cause
	}{
		{guard.Mark{Lease: "job"}, w(fence.Fence{Name: "other", Token: 99}), fence.Invalid},
		{guard.Mark{Lease: "job"}, w(job(11)), fence.Future},
		{guard.Mark{Lease: "job"}, w(job(10)), fence.NotEstablished},
		{guard.Mark{}, w(job(10)), fence.NotEstablished},
		{guard.Mark{Lease: "job", Token: 20}, w(job(11)), fence.Future},
		{guard.Mark{Lease: "job", Token: 20}, w(job(10)), fence.Superseded},
	} {
		if _, v := guard.Decide(guard.Latest, c.mark, c.write, 10); v.Cause != c.want {
			t.Errorf("mark %+v, %+v: got %v, want %v", c.mark, c.write.Fence, v, c.want)
		}
	}
}

func TestLongestKeyAndHighestNumbersCount(t *testing.T) {
	t.Parallel()
	m, v := guard.Establish(guard.Mark{}, job(fence.MaxToken), noLimit)
	if !v.OK() {
		t.Fatal(v)
	}
	w := guard.Write{Fence: job(fence.MaxToken), Seq: 1, Key: strings.Repeat("k", guard.MaxKeyBytes)}
	if _, v = guard.Decide(guard.Sequenced, m, w, noLimit); v.Outcome != fence.Admitted {
		t.Error(v)
	}
}

func TestAFreshMarkBindsItsLease(t *testing.T) {
	t.Parallel()
	m, _ := guard.Establish(guard.Mark{}, job(1), noLimit)
	if _, v := guard.Establish(m, fence.Fence{Name: "other", Token: 2}, noLimit); v.Cause != fence.Invalid {
		t.Error(v)
	}
}

func TestErrorIsItsKindAndItsSource(t *testing.T) {
	t.Parallel()
	source := errors.New("connection reset")
	e := &guard.Error{Kind: guard.ErrUnknown, Resource: "r", Fence: job(7), Err: source, Hint: "resend it"}
	if !errors.Is(e, guard.ErrUnknown) || !errors.Is(e, source) || errors.Is(e, fence.ErrRefused) {
		t.Error("does not match what it is")
	}
	if v := e.Verdict(); v.Outcome != fence.Unknown || v.Fence != job(7) {
		t.Error(v)
	}
	if v := (&guard.Error{Kind: guard.ErrRetry}).Verdict(); v.Outcome != fence.Unavailable {
		t.Error(v)
	}
	const want = `"r": write of "job" with token 7: outcome unknown: connection reset; resend it`
	if e.Error() != want {
		t.Errorf("got %s", e)
	}
}

func TestCounter(t *testing.T) {
	t.Parallel()
	var c guard.Counter
	c.Count(fence.Verdict{Outcome: fence.Admitted})
	c.Count(fence.Verdict{Outcome: fence.Refused, Cause: fence.Superseded})
	c.Count(fence.Verdict{Outcome: fence.Refused, Cause: fence.Superseded})
	if got := c.Outcomes(); got[fence.Admitted] != 1 || got[fence.Refused] != 2 || len(got) != 5 {
		t.Error(got)
	}
	if got := c.Refusals(); got[fence.Superseded] != 2 || len(got) != len(fence.Causes()) {
		t.Error(got)
	}
	told := 0
	c.OnVerdict = func(v fence.Verdict) {
		if told++; v.Word() != "lapsed" || c.Refusals()[fence.Lapsed] != 1 {
			t.Errorf("told %v when %d of its kind were counted", v, c.Refusals()[fence.Lapsed])
		}
	}
	c.Count(fence.Verdict{Outcome: fence.Refused, Cause: fence.Lapsed})
	if told != 1 {
		t.Errorf("the hook was called %d times", told)
	}
	var none *guard.Counter
	none.Count(fence.Verdict{})
	if got := none.Outcomes(); len(got) != 5 || len(none.Refusals()) != len(fence.Causes()) {
		t.Error(got)
	}
}
