package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

const retryHelp = `--retry-until runs the command again when it has failed: when it ended with a status other
than 0 or used up its timeout, and when the name was held or the store was down. Each try is
a run of its own, with a term, a token and a timeout of its own, so that another machine may
get the name in between. Before the first one that follows is a pause of a second, which
doubles up to a minute. No try begins later than that time; one that has begun is not cut
short. Nothing is tried again after a lost lease (79), whose work is suspect, a refusal
(77), a command that can't be started, or a signal that asked ringfence to end.`

// retryFlag is the time after which no try begins: as it is, or from now on.
type retryFlag struct{ moment }

func (f *retryFlag) add(c *cobra.Command) {
	c.Flags().Var(f, "retry-until", "try again when the work has failed, until then: a time, or a duration from now on")
}

// Set implements pflag.Value.
func (f *retryFlag) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err == nil {
		f.at, f.text = time.Now().Add(d), s
	} else if f.moment.Set(s) != nil {
		return errors.New("write a time like 2026-11-29T04:00:00Z or '2026-11-29 04:00', which is UTC, or how long from now on, like 90m")
	}
	if left := time.Until(f.at); left <= 0 || left > driver.MaxTTL {
		return errors.New("want a time to come, at most 720h from now, which are 30 days")
	}
	return nil
}

func (f retryFlag) check(c *cobra.Command) error {
	if !f.at.IsZero() && c.Flags().Changed("min-hold") {
		return usage("--retry-until does not go with --min-hold: a failed run leaves the name held for that long")
	}
	return nil
}

const firstRetry, longestRetry = time.Second, time.Minute

// retried does run until it has not failed, or there is no time or no sense in another try.
func (h held) retried(run func() error) error {
	for pause := firstRetry; ; pause = min(2*pause, longestRetry) {
		err := run()
		asked := h.early.regain()
		if time.Until(h.job.retry.at) <= pause || asked != 0 || !worthRetry(err) {
			return err
		}
		h.app.say("%v; trying again in %s", plainFailure(err), span(pause))
		select {
		case <-time.After(pause):
		case <-h.early.ctx.Done():
			return h.early.orEnded(context.Cause(h.early.ctx), "")
		}
	}
}

// worthRetry reports whether another try may do better.
func worthRetry(err error) bool {
	switch code := status(err); {
	case err == nil, errors.Is(err, ringfence.ErrLost), errors.Is(err, ringfence.ErrUnfit), errors.Is(err, fence.ErrRefused):
		return false
	case code == exitHeld || code == exitUnavailable || code == exitTimedOut:
		return true
	default: // the command's own
		own, ok := errors.AsType[*exitError](err)
		return ok && own.err == nil && !endedBySignal(code)
	}
}

func plainFailure(err error) error {
	if own, ok := errors.AsType[*exitError](err); ok && own.err == nil {
		return fmt.Errorf("the command ended with status %d", own.code)
	}
	return err
}
