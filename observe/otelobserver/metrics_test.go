package otelobserver_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/observe/otelobserver"
	"github.com/ringfence-go/ringfence/store/memstore"
)

// bench is metrics in a real SDK.
type bench struct {
	*otelobserver.Metrics
	t      *testing.T
	reader *sdk.ManualReader
}

func newBench(t *testing.T) bench {
	reader := sdk.NewManualReader()
	provider := sdk.NewMeterProvider(sdk.WithReader(reader))
	t.Cleanup(func() { _ = provider.Shutdown(context.Background()) })
	m, err := otelobserver.New(provider)
	if err != nil {
		t.Fatal(err)
	}
	return bench{m, t, reader}
}

// series are all counts, by metric and attributes; of the histogram, the count.
func (b bench) series() map[string]int64 {
	b.t.Helper()
	var all metricdata.ResourceMetrics
	if err := b.reader.Collect(b.t.Context(), &all); err != nil {
		b.t.Fatal(err)
	}
	found := make(map[string]int64)
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					found[key(m.Name, p.Attributes)] = p.Value
				}
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					found[key(m.Name, p.Attributes)] = int64(p.Count)
				}
			default:
				b.t.Errorf("%s is a %T", m.Name, data)
			}
		}
	}
	return found
}

func key(name string, set attribute.Set) string {
	return name + "{" + set.Encoded(attribute.DefaultEncoder()) + "}"
}

func TestMetricsOfALocker(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	locker, err := ringfence.New(memstore.New(nil), &ringfence.Options{OnEvent: b.Event})
	if err != nil {
		t.Fatal(err)
	}
	work := ringfence.Work{Timeout: time.Minute, Unavailable: ringfence.Fail, Held: ringfence.SkipIfHeld}
	err = locker.Run(t.Context(), "report", work, func(ctx context.Context, _ *ringfence.Lease) error {
		return locker.Run(ctx, "report", work, nil) // is skipped
	})
	if err != nil {
		t.Fatal(err)
	}
	got := b.series()
	for series, want := range map[string]int64{
		"ringfence.lease.events{event=granted,reason=}":      1,
		"ringfence.lease.events{event=released,reason=}":     1,
		"ringfence.lease.events{event=skipped,reason=held}":  1,
		"ringfence.lease.events{event=lost,reason=expired}":  0,
		"ringfence.lease.grant.wait{}":                       1,
		"ringfence.guard.verdicts{verdict=superseded}":       0,
		"ringfence.guard.verdicts{verdict=not_established}":  0,
		"ringfence.lease.events{event=unfenced,reason=held}": 0,
	} {
		if n, there := got[series]; n != want || there == strings.Contains(series, "unfenced,reason=held") {
			t.Errorf("%s is %d (there: %t), want %d", series, n, there, want)
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
	for word, want := range map[string]int64{"admitted": 1, "lapsed": 1, "superseded": 2, "unknown": 0} {
		if n := got["ringfence.guard.verdicts{verdict="+word+"}"]; n != want {
			t.Errorf("%s: %d, want %d", word, n, want)
		}
	}
	if n, there := got["ringfence.guard.verdicts{verdict=refused}"]; there {
		t.Errorf("%d refusals are one number, whatever their causes", n)
	}
}

// A name in an attribute would make a series of each lease, and show it to whoever
// may read metrics.
func TestNoAttributeTellsANameOrMakesASeries(t *testing.T) {
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
			t.Errorf("%s tells what only logs and spans may", series)
		}
	}
	if len(after) != len(before)+1 { // the wait is there once there was a grant
		t.Errorf("%d series have become %d", len(before), len(after))
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
