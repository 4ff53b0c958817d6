package observe_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/observe"
)

// logged is the one line that a call writes.
func logged(t *testing.T, call func(observe.Log)) map[string]any {
	t.Helper()
	var out bytes.Buffer
	call(observe.Log{Logger: slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatalf("%q: %v", out.String(), err)
	}
	return line
}

func TestEventsAreLogged(t *testing.T) {
	t.Parallel()
	f := fence.Fence{Name: "report", Token: 7}
	for _, c := range []struct {
		event ringfence.Event
		want  map[string]any
	}{
		{ringfence.Event{Kind: ringfence.EventGranted, Fence: f, Until: time.Unix(0, 0), Waited: time.Second},
			map[string]any{"level": "DEBUG", "msg": "lease granted", "name": "report", "token": "7", "until": "1970-01-01T00:00:00Z", "waited": 1e9, "reason": nil}},
		{ringfence.Event{Kind: ringfence.EventLost, Fence: f, Err: &ringfence.EndedError{Fence: f, Cause: ringfence.EndExpired}},
			map[string]any{"level": "ERROR", "msg": "lease lost", "reason": "expired", "until": nil}},
		{ringfence.Event{Kind: ringfence.EventRenewFailed, Fence: f, Err: fmt.Errorf("%w: cut", ringfence.ErrUnavailable)},
			map[string]any{"level": "WARN", "msg": "lease renew_failed", "reason": "unavailable", "error": "store unavailable: cut"}},
		{ringfence.Event{Kind: ringfence.EventSkipped, Fence: fence.Fence{Name: "report"}, Err: &ringfence.HeldError{}},
			map[string]any{"level": "INFO", "msg": "lease skipped", "reason": "held", "token": nil}},
		{ringfence.Event{Kind: ringfence.EventUnfenced, Fence: fence.Fence{Name: "report"}, Err: errors.New("?")},
			map[string]any{"level": "ERROR", "msg": "lease unfenced", "reason": "unknown"}},
	} {
		compare(t, logged(t, func(l observe.Log) { l.Event(c.event) }), c.want)
	}
}

func TestVerdictsAreLogged(t *testing.T) {
	t.Parallel()
	f := fence.Fence{Name: "report", Token: 7}
	for _, c := range []struct {
		verdict fence.Verdict
		want    map[string]any
	}{
		{fence.Verdict{Outcome: fence.Admitted, Resource: "r", Fence: f},
			map[string]any{"level": "DEBUG", "msg": "write admitted", "verdict": "admitted", "resource": "r", "token": "7", "mark": nil, "landed": nil}},
		{fence.Verdict{Outcome: fence.Refused, Cause: fence.Superseded, Resource: "r", Fence: f, Mark: 9, Observed: true, Landed: true},
			map[string]any{"level": "WARN", "msg": "write refused", "verdict": "superseded", "mark": "9", "observed": true, "landed": true}},
		{fence.Verdict{Outcome: fence.Refused, Cause: fence.Conflict, Fence: f}, map[string]any{"level": "ERROR", "verdict": "conflict"}},
		{fence.Verdict{Fence: f}, map[string]any{"level": "WARN", "verdict": "unknown"}},
	} {
		compare(t, logged(t, func(l observe.Log) { l.Verdict(c.verdict) }), c.want)
	}
}

// compare looks at the fields of want; one that is nil must not be there.
func compare(t *testing.T, line, want map[string]any) {
	t.Helper()
	for field, value := range want {
		if line[field] != value {
			t.Errorf("%s is %v, want %v, in %v", field, line[field], value, line)
		}
	}
}

func TestAllHooksAreCalledInTurn(t *testing.T) {
	t.Parallel()
	var told []string
	hook := func(name string) func(fence.Verdict) {
		return func(v fence.Verdict) { told = append(told, name+" "+v.Word()) }
	}
	counter := &guard.Counter{OnVerdict: observe.All(hook("a"), nil, hook("b"))}
	counter.Count(fence.Verdict{Outcome: fence.Duplicate})
	if got := fmt.Sprint(told); got != "[a duplicate b duplicate]" {
		t.Error(got)
	}
}
