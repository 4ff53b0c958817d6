package otelobserver

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/fence"
)

// Metrics counts what it is told. Make it with [New]. Its methods may be called by
// many goroutines at once.
type Metrics struct {
	events   metric.Int64Counter
	verdicts metric.Int64Counter
	waits    metric.Float64Histogram
}

// New makes metrics whose every series begins at once, at zero, so that the first
// refusal shows as a rise.
func New(provider metric.MeterProvider) (*Metrics, error) {
	meter := provider.Meter(scope)
	var m Metrics
	var errs [3]error
	m.events, errs[0] = meter.Int64Counter("ringfence.lease.events", metric.WithUnit("{event}"),
		metric.WithDescription("What happened to leases: by event, and by the reason where there is one."))
	m.verdicts, errs[1] = meter.Int64Counter("ringfence.guard.verdicts", metric.WithUnit("{verdict}"),
		metric.WithDescription("Answers of guards to writes: an outcome, or the cause of a refusal."))
	m.waits, errs[2] = meter.Float64Histogram("ringfence.lease.grant.wait", metric.WithUnit("s"),
		metric.WithDescription("How long a grant took from the call that asked for it on, waiting included."),
		metric.WithExplicitBucketBoundaries(.001, .005, .025, .1, .5, 1, 5, 15, 60, 300, 1800, 7200))
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	for _, kind := range ringfence.EventKinds() {
		for _, reason := range kind.Reasons() {
			m.countEvent(string(kind), reason, 0)
		}
	}
	for _, word := range fence.VerdictWords() {
		m.countVerdict(word, 0)
	}
	return &m, nil
}

// Event counts e. It is for ringfence.Options.OnEvent.
func (m *Metrics) Event(e ringfence.Event) {
	if e.Kind == ringfence.EventGranted {
		m.waits.Record(context.Background(), e.Waited.Seconds())
	}
	m.countEvent(string(e.Kind), e.Reason(), 1)
}

// Verdict counts v. It is for the OnVerdict of a guard.Counter.
func (m *Metrics) Verdict(v fence.Verdict) { m.countVerdict(v.Word(), 1) }

func (m *Metrics) countEvent(kind, reason string, n int64) {
	m.events.Add(context.Background(), n, metric.WithAttributeSet(
		attribute.NewSet(attribute.String("event", kind), attribute.String("reason", reason))))
}

func (m *Metrics) countVerdict(word string, n int64) {
	m.verdicts.Add(context.Background(), n, metric.WithAttributeSet(attribute.NewSet(attribute.String("verdict", word))))
}
