package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/fence"
)

// teller says on standard error what a person needs to know of the lease.
type teller struct {
	app    *app
	job    job
	early  *earlySignals // which knows whether the command runs
	waited string        // what was said last about the wait, where lines can't be drawn again
}

func (t *teller) tell(e ringfence.Event) {
	name := fence.Quote(e.Fence.Name)
	if s, ok := t.app.err.(*statusLine); ok && e.Kind != ringfence.EventWaiting {
		s.clear() // the command writes next
	}
	switch e.Kind {
	case ringfence.EventWaiting:
		t.tellWait(e.Err)
	case ringfence.EventSkipped:
		t.app.say("skipped, the command was not run: %v", e.Err)
	case ringfence.EventUnfenced:
		t.app.say("warning: running %s UNFENCED, with no lease and no token, as --if-unavailable says: %v", name, e.Err)
	case ringfence.EventRenewFailed:
		t.app.say("a renewal of %s failed and is tried again until %s: %v", name, e.Until.UTC().Format(time.RFC3339), why(e.Err))
	case ringfence.EventLost:
		if t.job.step { // which says it itself
			return
		}
		if !t.early.started() { // the wait for more, or what comes before the command
			t.app.say("%v", e.Err)
			return
		}
		t.app.say("%v; ending the command", e.Err)
	case ringfence.EventUntold:
		t.app.say("the work is over, but the release could not be told: %s stays held with token %s until %s: %v",
			name, e.Fence.Token, e.Until.UTC().Format(time.RFC3339), why(e.Err))
	}
}

// why leaves out what a line has said already: the step, the name and the token.
func why(err error) error {
	if e, ok := errors.AsType[*ringfence.Error](err); ok {
		return fmt.Errorf("%s: %w", e.Store, e.Err)
	}
	return err
}

// tellWait says whom the wait is for and until when: at each try in one line that is
// drawn again, or, where that can't be, each new reason once.
func (t *teller) tellWait(err error) {
	held, isHeld := errors.AsType[*ringfence.HeldError](err)
	if s, ok := t.app.err.(*statusLine); ok {
		s.draw("ringfence: " + readable(waitLine(t.job.name, held, err)))
		return
	}
	reason, line := err.Error(), err.Error()
	if isHeld {
		reason = fmt.Sprint(held.Token, held.Ahead, held.Kept)
		line = held.Error()
		if held.Ahead > 0 && !held.Kept {
			line += fmt.Sprintf("; %d in line before this one", held.Ahead)
		}
	}
	if reason != t.waited {
		t.waited = reason
		if t.job.work.Wait == 0 { // for as long as it takes
			t.app.say("waiting: %s", line)
			return
		}
		t.app.say("waiting up to %s: %s", span(t.job.work.Wait), line)
	}
}

// waitLine is the state of a wait in one line. held is nil where err is another reason.
func waitLine(name string, held *ringfence.HeldError, err error) string {
	name = fence.Quote(name)
	if held == nil {
		return fmt.Sprintf("waiting for %s: %v", name, why(err))
	}
	place := ""
	if held.Ahead > 0 {
		place = fmt.Sprintf("; %d before you in line", held.Ahead)
	}
	if held.Kept {
		return fmt.Sprintf("waiting for %s: %s is next%s", name, fence.Quote(held.Holder), place)
	}
	until := time.Now().Add(held.Remaining).UTC().Format("15:04:05")
	return fmt.Sprintf("waiting for %s: held by %s until %s UTC at the latest, unless renewed%s", name, fence.Quote(held.Holder), until, place)
}
