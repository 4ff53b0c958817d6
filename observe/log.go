package observe

import (
	"context"
	"log/slog"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/fence"
)

// Log writes events and verdicts to a log, one line each, with names and tokens.
type Log struct {
	// Logger is where the lines go. Defaults to slog.Default, asked at each line.
	Logger *slog.Logger
}

// Event logs what happened to a lease. Its level is Debug where the lease does what it
// should, Info where somebody waits or is passed over, Warn where something failed
// and the lease is not affected yet, and Error where work went on, or began, without one.
func (l Log) Event(e ringfence.Event) {
	attrs := []slog.Attr{slog.String("name", e.Fence.Name)}
	if e.Fence.Token != 0 {
		attrs = append(attrs, slog.String("token", e.Fence.Token.String()))
	}
	if !e.Until.IsZero() {
		attrs = append(attrs, slog.Time("until", e.Until.UTC()))
	}
	if e.Kind == ringfence.EventGranted {
		attrs = append(attrs, slog.Duration("waited", e.Waited))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("reason", e.Reason()), slog.Any("error", e.Err))
	}
	l.write(eventLevel(e.Kind), "lease "+string(e.Kind), attrs)
}

func eventLevel(k ringfence.EventKind) slog.Level {
	switch k {
	case ringfence.EventWaiting, ringfence.EventSkipped, ringfence.EventReclaimed:
		return slog.LevelInfo
	case ringfence.EventRenewFailed, ringfence.EventUntold:
		return slog.LevelWarn
	case ringfence.EventLost, ringfence.EventSuspect, ringfence.EventUnfenced:
		return slog.LevelError
	}
	return slog.LevelDebug
}

// Verdict logs the answer of a guard. Its level is Debug where the write is applied,
// and Warn where it is not or nobody knows; Error where that is somebody's mistake: a
// conflict, an invented number, a bad fence.
func (l Log) Verdict(v fence.Verdict) {
	attrs := []slog.Attr{
		slog.String("verdict", v.Word()), slog.String("resource", v.Resource),
		slog.String("name", v.Fence.Name), slog.String("token", v.Fence.Token.String()),
	}
	if v.Mark != 0 {
		attrs = append(attrs, slog.String("mark", v.Mark.String()))
	}
	if v.Observed {
		attrs = append(attrs, slog.Bool("observed", true))
	}
	if v.Landed {
		attrs = append(attrs, slog.Bool("landed", true))
	}
	l.write(verdictLevel(v), "write "+v.Outcome.String(), attrs)
}

func verdictLevel(v fence.Verdict) slog.Level {
	switch {
	case v.OK():
		return slog.LevelDebug
	case v.Cause == fence.Conflict, v.Cause == fence.Future, v.Cause == fence.Invalid:
		return slog.LevelError
	}
	return slog.LevelWarn
}

func (l Log) write(level slog.Level, message string, attrs []slog.Attr) {
	logger := l.Logger
	if logger == nil {
		logger = slog.Default()
	}
	logger.LogAttrs(context.Background(), level, message, attrs...)
}
