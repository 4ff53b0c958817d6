// Package otelobserver tells OpenTelemetry of leases and guards: metrics without any
// name in them, and, in spans that a program makes for its own work, which lease it
// was and what a guard answered.
//
//	metrics, err := otelobserver.New(otel.GetMeterProvider())
//	locker, err := ringfence.New(store, &ringfence.Options{OnEvent: metrics.Event})
//	counter := &guard.Counter{OnVerdict: metrics.Verdict}
//	err = locker.Run(ctx, "nightly-rollup", work, otelobserver.Traced(otel.GetTracerProvider(), rollUp))
//
// It needs the API of OpenTelemetry only; the SDK and its exporters are the program's.
package otelobserver

// scope is the name of the instrumentation, for meters and tracers.
const scope = "github.com/ringfence-go/ringfence"
