// Package observe tells metrics and logs what happens to leases and what guards
// answer. It has the log; package promobserver has metrics for Prometheus, and
// package otelobserver metrics and spans for OpenTelemetry, each in a module of its own.
//
// There are two hooks, and everything goes through them: [ringfence.Options].OnEvent
// and the OnVerdict of the counter that every guard has in its options.
//
//	log := observe.Log{Logger: slog.Default()}
//	locker, err := ringfence.New(store, &ringfence.Options{OnEvent: observe.All(log.Event, metrics.Event)})
//	counter := &guard.Counter{OnVerdict: observe.All(log.Verdict, metrics.Verdict)}
//	g, err := sqlguard.New(sqlguard.Postgres, "rollups", guard.Once, &sqlguard.Options{Counter: counter})
//
// docs/observability.md has every metric, and alerts to begin with.
package observe
