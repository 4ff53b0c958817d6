package cli

import (
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/fence"
)

// TestALossBeforeTheCommandEndsNoCommand: while a writer waits for readers, say.
func TestALossBeforeTheCommandEndsNoCommand(t *testing.T) {
	t.Parallel()
	lost := fence.Fence{Name: "plan", Token: 7}
	for running, want := range map[bool]string{
		false: "is over: forced\n",
		true:  "is over: forced; ending the command\n",
	} {
		var out strings.Builder
		early := new(earlySignals)
		if running {
			early.release()
		}
		tell := (&teller{app: &app{err: &out}, early: early}).tell
		tell(ringfence.Event{Kind: ringfence.EventLost, Fence: lost, Err: &ringfence.EndedError{Fence: lost, Cause: ringfence.EndForced}})
		if !strings.HasSuffix(out.String(), want) {
			t.Errorf("the command runs: %v; said %q", running, out.String())
		}
	}
}
