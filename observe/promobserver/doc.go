// Package promobserver counts events of leases and verdicts of guards for Prometheus.
//
//	metrics := promobserver.New()
//	prometheus.MustRegister(metrics)
//	locker, err := ringfence.New(store, &ringfence.Options{OnEvent: metrics.Event})
//	counter := &guard.Counter{OnVerdict: metrics.Verdict}
//
// No label tells a lease, a resource, a holder or a token, so that there are as many
// series as docs/observability.md says, however many leases there are. To keep two
// destinations apart, make a Metrics for each, and register it with
// prometheus.WrapRegistererWith and a label of your own.
package promobserver
