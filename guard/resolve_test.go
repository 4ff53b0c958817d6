package guard_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

var first = guard.Write{Fence: job(7), Seq: 1, Key: "k"}

type answer struct {
	v   fence.Verdict
	err error
}

// failure is an answer without a verdict about the write.
func failure(kind, source error) answer {
	e := &guard.Error{Kind: kind, Resource: "r", Fence: first.Fence, Err: source}
	return answer{e.Verdict(), e}
}

func verdict(v fence.Verdict) answer { return answer{v, v.Err()} }

func refused(c fence.Cause) answer { return verdict(fence.Verdict{Outcome: fence.Refused, Cause: c}) }

// answering sends nothing, gives the answers in order, the last one for ever, and
// notes when each was asked for.
func answering(sent *[]time.Time, answers ...answer) func(context.Context) (fence.Verdict, error) {
	return func(context.Context) (fence.Verdict, error) {
		a := answers[min(len(*sent), len(answers)-1)]
		*sent = append(*sent, time.Now())
		return a.v, a.err
	}
}

var errReset = errors.New("connection reset")

func TestResolveSendsUntilItKnows(t *testing.T) {
	t.Parallel()
	lost, busy, down := failure(guard.ErrUnknown, errReset), failure(guard.ErrRetry, errReset), failure(guard.ErrUnavailable, errReset)
	own := errors.New("the caller's own")
	for name, c := range map[string]struct {
		answers []answer
		want    guard.Landing
		err     error
		sent    int
	}{
		"at once":                {[]answer{verdict(fence.Verdict{Outcome: fence.Admitted})}, guard.HasLanded, nil, 1},
		"second copy":            {[]answer{lost, verdict(fence.Verdict{Outcome: fence.Admitted})}, guard.HasLanded, nil, 2},
		"first copy":             {[]answer{lost, down, busy, verdict(fence.Verdict{Outcome: fence.Duplicate})}, guard.HasLanded, nil, 4},
		"superseded, landed":     {[]answer{lost, verdict(fence.Verdict{Outcome: fence.Refused, Cause: fence.Superseded, Landed: true})}, guard.HasLanded, fence.ErrRefused, 2},
		"superseded, not landed": {[]answer{lost, refused(fence.Superseded)}, guard.NeverLands, fence.ErrRefused, 2},
		"read afterwards":        {[]answer{lost, verdict(fence.Verdict{Outcome: fence.Refused, Cause: fence.Conflict, Observed: true})}, guard.StillUnknown, fence.ErrRefused, 2},
		"gap":                    {[]answer{lost, refused(fence.OutOfSequence)}, guard.StillUnknown, fence.ErrRefused, 2},
		"no verdict, no error":   {[]answer{{}, refused(fence.Conflict)}, guard.NeverLands, fence.ErrRefused, 2},
		"unfit":                  {[]answer{lost, failure(guard.ErrUnfit, errReset)}, guard.StillUnknown, guard.ErrUnfit, 2},
		"own failure":            {[]answer{lost, {fence.Verdict{Outcome: fence.Unavailable}, own}}, guard.StillUnknown, own, 2},
		"verdict with an error":  {[]answer{{fence.Verdict{Outcome: fence.Admitted}, own}}, guard.StillUnknown, own, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var sent []time.Time
				got, err := guard.Resolve(t.Context(), guard.Sequenced, first, answering(&sent, c.answers...))
				if got != c.want || !errors.Is(err, c.err) || len(sent) != c.sent {
					t.Errorf("%v, %v after %d sent; want %v, %v after %d", got, err, len(sent), c.want, c.err, c.sent)
				}
			})
		})
	}
}

// TestResolveGivesUpWithItsContext: a last try that was provably not applied says
// nothing about the copy before it, so the error is Unknown and nothing else.
func TestResolveGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var sent []time.Time
		began := time.Now()
		got, err := guard.Resolve(ctx, guard.Sequenced, first,
			answering(&sent, failure(guard.ErrUnknown, errReset), failure(guard.ErrUnavailable, errReset)))
		if took := time.Since(began); got != guard.StillUnknown || took != time.Minute {
			t.Errorf("%v after %s; want unknown after a minute", got, took)
		}
		for kind, want := range map[error]bool{
			guard.ErrUnknown: true, errReset: true, context.DeadlineExceeded: true, guard.ErrUnavailable: false, guard.ErrRetry: false, fence.ErrRefused: false,
		} {
			if errors.Is(err, kind) != want {
				t.Errorf("the error %v matches %v: %t", err, kind, !want)
			}
		}
		if n := len(sent); n < 60 || n > 140 {
			t.Errorf("%d tries in a minute", n)
		}
		for i := range sent[1:] {
			most := min(5*time.Millisecond<<min(i, 20), time.Second)
			if pause := sent[i+1].Sub(sent[i]); pause < most/2 || pause > most {
				t.Errorf("pause %d is %s; want %s to %s", i+1, pause, most/2, most)
			}
		}
	})
}

// TestResolveGivesATryUp: a connection that is dead and doesn't say so takes one try,
// not all the time there is. A write that takes long gets its time in the end.
func TestResolveGivesATryUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var limits []time.Duration
		got, err := guard.Resolve(t.Context(), guard.Sequenced, first, func(ctx context.Context) (fence.Verdict, error) {
			began := time.Now()
			defer func() { limits = append(limits, time.Since(began)) }()
			select {
			case <-ctx.Done():
				a := failure(guard.ErrUnknown, ctx.Err())
				return a.v, a.err
			case <-time.After(30 * time.Second):
				return fence.Verdict{Outcome: fence.Duplicate}, nil
			}
		})
		if want := []time.Duration{10 * time.Second, 20 * time.Second, 30 * time.Second}; got != guard.HasLanded || err != nil || !slices.Equal(limits, want) {
			t.Errorf("%v, %v after tries of %v; want %v", got, err, limits, want)
		}
	})
}

func TestResolveRefusesBadWrites(t *testing.T) {
	t.Parallel()
	var sent []time.Time
	for rule, w := range map[guard.Rule]guard.Write{guard.Once: first, guard.Sequenced: {Fence: job(7), Key: "k"}, 0: first} {
		if got, err := guard.Resolve(t.Context(), rule, w, answering(&sent, answer{})); got != guard.StillUnknown || !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("%s, %+v: %v, %v", rule, w, got, err)
		}
	}
	if len(sent) > 0 {
		t.Errorf("%d were sent", len(sent))
	}
}
