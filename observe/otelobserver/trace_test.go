package otelobserver_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/observe/otelobserver"
	"github.com/ringfence-go/ringfence/store/memstore"
)

func traced(t *testing.T, work func(context.Context, *ringfence.Lease) error) sdk.ReadOnlySpan {
	t.Helper()
	recorder := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(recorder))
	locker, err := ringfence.New(memstore.New(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	bounded := ringfence.Work{Timeout: time.Minute, Unavailable: ringfence.Fail}
	_ = locker.Run(t.Context(), "report", bounded, otelobserver.Traced(provider, work))
	spans := recorder.Ended()
	if len(spans) != 1 {
		t.Fatalf("%d spans, want 1", len(spans))
	}
	return spans[0]
}

func attributes(s sdk.ReadOnlySpan) map[string]string {
	found := make(map[string]string)
	for _, a := range s.Attributes() {
		found[string(a.Key)] = a.Value.String()
	}
	return found
}

func TestASpanTellsTheLease(t *testing.T) {
	t.Parallel()
	var token string
	span := traced(t, func(ctx context.Context, lease *ringfence.Lease) error {
		token = lease.Fence().Token.String()
		if !trace.SpanFromContext(ctx).IsRecording() {
			t.Error("the work does not see the span")
		}
		return nil
	})
	got := attributes(span)
	if span.Name() != "ringfence.work" || got["ringfence.name"] != "report" || got["ringfence.token"] != token || got["ringfence.unfenced"] != "false" {
		t.Errorf("%s: %v", span.Name(), got)
	}
	if span.Status().Code == codes.Error || len(span.Events()) != 0 {
		t.Errorf("work that went well: %v, %v", span.Status(), span.Events())
	}
}

func TestASpanTellsWhatWentWrong(t *testing.T) {
	t.Parallel()
	span := traced(t, func(ctx context.Context, lease *ringfence.Lease) error {
		otelobserver.Verdict(ctx, fence.Verdict{Outcome: fence.Refused, Cause: fence.Superseded, Resource: "r", Fence: lease.Fence(), Mark: 9})
		lease.Abandon()
		return errors.New("it failed")
	})
	var events []string
	for _, e := range span.Events() {
		events = append(events, e.Name)
	}
	if span.Status().Code != codes.Error || len(events) != 3 || events[0] != "ringfence.verdict" || events[1] != "ringfence.ended" || events[2] != "exception" {
		t.Errorf("%v with %v", span.Status(), events)
	}
}
