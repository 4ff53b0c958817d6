package promobserver

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/fence"
)

// Metrics counts what it is told. Register it; make it with [New]. Its methods may
// be called by many goroutines at once.
type Metrics struct {
	events   *prometheus.CounterVec
	verdicts *prometheus.CounterVec
	waits    prometheus.Histogram
}

// New makes metrics whose every series is there at once, at zero, so that the first
// refusal shows as a rise.
func New() *Metrics {
	m := &Metrics{
		events: vector("ringfence_lease_events_total",
			"What happened to leases: by event, and by the reason where there is one.", "event", "reason"),
		verdicts: vector("ringfence_guard_verdicts_total",
			"Answers of guards to writes: an outcome, or the cause of a refusal.", "verdict"),
		waits: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "ringfence_lease_grant_wait_seconds",
			Help:    "How long a grant took from the call that asked for it on, waiting included.",
			Buckets: []float64{.001, .005, .025, .1, .5, 1, 5, 15, 60, 300, 1800, 7200},
		}),
	}
	for _, kind := range ringfence.EventKinds() {
		for _, reason := range kind.Reasons() {
			m.events.WithLabelValues(string(kind), reason)
		}
	}
	for _, word := range fence.VerdictWords() {
		m.verdicts.WithLabelValues(word)
	}
	return m
}

func vector(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

// Event counts e. It is for ringfence.Options.OnEvent.
func (m *Metrics) Event(e ringfence.Event) {
	if e.Kind == ringfence.EventGranted {
		m.waits.Observe(e.Waited.Seconds())
	}
	m.events.WithLabelValues(string(e.Kind), e.Reason()).Inc()
}

// Verdict counts v. It is for the OnVerdict of a guard.Counter.
func (m *Metrics) Verdict(v fence.Verdict) { m.verdicts.WithLabelValues(v.Word()).Inc() }

func (m *Metrics) collectors() []prometheus.Collector {
	return []prometheus.Collector{m.events, m.verdicts, m.waits}
}

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(descriptions chan<- *prometheus.Desc) {
	for _, c := range m.collectors() {
		c.Describe(descriptions)
	}
}

// Collect implements prometheus.Collector.
func (m *Metrics) Collect(metrics chan<- prometheus.Metric) {
	for _, c := range m.collectors() {
		c.Collect(metrics)
	}
}
