package promobserver_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/observe/promobserver"
	"github.com/ringfence-go/ringfence/store/memstore"
)

// bench is metrics in a real registry, a strict one.
type bench struct {
	*promobserver.Metrics
	t        *testing.T
	registry *prometheus.Registry
}

func newBench(t *testing.T) bench {
	b := bench{promobserver.New(), t, prometheus.NewPedanticRegistry()}
	if err := b.registry.Register(b.Metrics); err != nil {
		t.Fatal(err)
	}
	return b
}

// series are all counts, by metric and labels; of the histogram, the count.
func (b bench) series() map[string]float64 {
	b.t.Helper()
	families, err := b.registry.Gather()
	if err != nil {
		b.t.Fatal(err)
	}
	found := make(map[string]float64)
	for _, family := range families {
		for _, m := range family.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			n := m.GetCounter().GetValue()
			if h := m.GetHistogram(); h != nil {
				n = float64(h.GetSampleCount())
			}
			found[family.GetName()+"{"+strings.Join(labels, ",")+"}"] = n
		}
	}
	return found
}

func TestMetricsOfALocker(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	locker, err := ringfence.New(memstore.New(nil), &ringfence.Options{OnEvent: b.Event})
	if err != nil {
		t.Fatal(err)
	}
	work := ringfence.Work{Timeout: time.Minute, Unavailable: ringfence.Fail, Held: ringfence.SkipIfHeld}
	err = locker.Run(t.Context(), "report", work, func(ctx context.Context, lease *ringfence.Lease) error {
		if err := locker.Run(ctx, "report", work, nil); err != nil { // is skipped
			return err
		}
		return lease.Renew(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
	got := b.series()
	for series, want := range map[string]float64{
		"ringfence_lease_events_total{event=granted,reason=}":     1,
		"ringfence_lease_events_total{event=renewed,reason=}":     1,
		"ringfence_lease_events_total{event=released,reason=}":    1,
		"ringfence_lease_events_total{event=skipped,reason=held}": 1,
		"ringfence_lease_events_total{event=lost,reason=expired}": 0,
		"ringfence_lease_grant_wait_seconds{}":                    1,
		"ringfence_guard_verdicts_total{verdict=superseded}":      0,
	} {
		if n, there := got[series]; n != want || !there {
			t.Errorf("%s is %g (there: %t), want %g", series, n, there, want)
		}
	}
}

func TestVerdictsAreCountedByCause(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	counter := &guard.Counter{OnVerdict: b.Verdict}
	counter.Count(fence.Verdict{Outcome: fence.Admitted})
	counter.Count(fence.Verdict{Outcome: fence.Refused, Cause: fence.Lapsed})
	counter.Count(fence.Verdict{Outcome: fence.Refused, Cause: fence.Superseded})
	counter.Count(fence.Verdict{Outcome: fence.Refused, Cause: fence.Superseded})
	got := b.series()
	for word, want := range map[string]float64{"admitted": 1, "lapsed": 1, "superseded": 2, "unknown": 0} {
		if n := got["ringfence_guard_verdicts_total{verdict="+word+"}"]; n != want {
			t.Errorf("%s: %g, want %g", word, n, want)
		}
	}
	if n, there := got["ringfence_guard_verdicts_total{verdict=refused}"]; there {
		t.Errorf("%g refusals are one number, whatever their causes", n)
	}
}

// A name in a label would make a series of each lease, and show it to whoever may
// read metrics.
func TestNoLabelTellsANameOrMakesASeries(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	before := b.series()
	const secret = "s3cret"
	f := fence.Fence{Name: secret + "-lease", Token: 987654321}
	for _, kind := range ringfence.EventKinds() {
		b.Event(ringfence.Event{Kind: kind, Fence: f, Err: errorOf(kind, secret, f), Until: time.Now()})
	}
	for _, cause := range fence.Causes() {
		b.Verdict(fence.Verdict{Outcome: fence.Refused, Cause: cause, Resource: secret + "/resource", Fence: f, Mark: f.Token})
	}
	after := b.series()
	for series := range after {
		if strings.Contains(series, secret) || strings.Contains(series, f.Token.String()) {
			t.Errorf("%s tells what only logs may", series)
		}
	}
	if len(before) != 43 || len(after) != len(before) { // as docs/observability.md says, the histogram being one of them
		t.Errorf("%d series have become %d, want 43", len(before), len(after))
	}
}

// errorOf is an error that goes with the kind, and tells a secret.
func errorOf(kind ringfence.EventKind, secret string, f fence.Fence) error {
	switch kind {
	case ringfence.EventGranted, ringfence.EventRenewed, ringfence.EventReleased, ringfence.EventReclaimed:
		return nil
	case ringfence.EventWaiting, ringfence.EventSkipped:
		return &ringfence.HeldError{Name: f.Name, Holder: secret, Token: f.Token}
	case ringfence.EventSuspect:
		return &ringfence.LostError{Fence: f, Cause: ringfence.EndExpired, Err: errors.New(secret)}
	case ringfence.EventLost:
		return &ringfence.EndedError{Fence: f, Cause: ringfence.EndForced}
	}
	return fmt.Errorf("%w: %w", ringfence.ErrUnavailable, errors.New(secret))
}

func TestMetricsFollowTheConventions(t *testing.T) {
	t.Parallel()
	problems, err := testutil.GatherAndLint(newBench(t).registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}
