package otelobserver

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/fence"
)

// Traced is work in a span of its own, named "ringfence.work", with the name and the
// token of its lease. The span is an error when the work fails, and says why the
// lease's context ended where it ended before the work did.
func Traced(
	provider trace.TracerProvider, work func(context.Context, *ringfence.Lease) error,
) func(context.Context, *ringfence.Lease) error {
	tracer := provider.Tracer(scope)
	return func(ctx context.Context, lease *ringfence.Lease) error {
		spanned, span := tracer.Start(ctx, "ringfence.work", trace.WithAttributes(ofFence(lease.Fence())...))
		defer span.End() // also when the work panics
		span.SetAttributes(attribute.Bool("ringfence.unfenced", lease.Unfenced()))
		err := work(spanned, lease)
		if cause := context.Cause(ctx); cause != nil {
			span.AddEvent("ringfence.ended", trace.WithAttributes(attribute.String("ringfence.cause", cause.Error())))
		}
		if err != nil {
			span.RecordError(err)
			span.SetStatus(codes.Error, "the work failed")
		}
		return err
	}
}

// Verdict adds what a guard answered to the span in ctx. A write that is not applied
// makes that span an error.
func Verdict(ctx context.Context, v fence.Verdict) {
	span := trace.SpanFromContext(ctx)
	attrs := append(ofFence(v.Fence), attribute.String("ringfence.verdict", v.Word()), attribute.String("ringfence.resource", v.Resource))
	if v.Mark != 0 {
		attrs = append(attrs, attribute.String("ringfence.mark", v.Mark.String()))
	}
	span.AddEvent("ringfence.verdict", trace.WithAttributes(attrs...))
	if !v.OK() {
		span.SetStatus(codes.Error, "a guarded write was not applied: "+v.Word())
	}
}

// ofFence has the token as text, as every wire has it.
func ofFence(f fence.Fence) []attribute.KeyValue {
	if f.Token == 0 {
		return nil
	}
	return []attribute.KeyValue{attribute.String("ringfence.name", f.Name), attribute.String("ringfence.token", f.Token.String())}
}
