package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence"
)

// TestWaitOnATerminal draws the state of a wait in one line, which is gone before
// anything else is written.
func TestWaitOnATerminal(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	width := 200
	a := &app{err: &statusLine{w: &out, width: func() int { return width }}}
	tell := (&teller{app: a, job: job{name: "report"}}).tell
	held := &ringfence.HeldError{Name: "report", Holder: "night shift", Token: 7, Remaining: time.Minute, Ahead: 2}
	drawn := func(e ringfence.Event) string {
		out.Reset()
		tell(e)
		return out.String()
	}
	got := drawn(ringfence.Event{Kind: ringfence.EventWaiting, Err: held})
	if !strings.HasPrefix(got, eraseLine+`ringfence: waiting for "report": held by "night shift" until `) ||
		!strings.HasSuffix(got, " UTC at the latest, unless renewed; 2 before you in line") {
		t.Errorf("drew %q", got)
	}
	held.Kept, held.Ahead, held.Holder = true, 1, "second shift"
	if got, want := drawn(ringfence.Event{Kind: ringfence.EventWaiting, Err: held}), eraseLine+
		`ringfence: waiting for "report": "second shift" is next; 1 before you in line`; got != want {
		t.Errorf("drew %q, want %q", got, want)
	}
	width = 30
	if got, want := drawn(ringfence.Event{Kind: ringfence.EventWaiting, Err: held}), eraseLine+`ringfence: waiting for "repo…`; got != want {
		t.Errorf("drew %q, want %q", got, want)
	}
	if got := drawn(ringfence.Event{Kind: ringfence.EventGranted}); got != eraseLine {
		t.Errorf("before the command runs %q was written; want the line gone", got)
	}
	tell(ringfence.Event{Kind: ringfence.EventWaiting, Err: held})
	out.Reset()
	a.say("an error")
	if got, want := out.String(), eraseLine+"ringfence: an error\n"; got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
}
