package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/fence"
)

// teller says on standard error what a person needs to know of the lease.
type teller struct {
	app    *app
	job    job
	waited string // what was said last about the wait
}

func (t *teller) tell(e ringfence.Event) {
	name := fence.Quote(t.job.name)
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

// tellWait says a new reason to wait once, not at each try.
func (t *teller) tellWait(err error) {
	reason, line := err.Error(), err.Error()
	if held, ok := errors.AsType[*ringfence.HeldError](err); ok {
		reason = held.Token.String()
		line = strings.TrimSpace(held.Error())
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
