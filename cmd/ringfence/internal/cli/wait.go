package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/vacancy"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

func (a *app) waitCmd() *cobra.Command {
	interval, timeout := duration(time.Second), duration(0)
	c := &cobra.Command{
		Use:   "wait NAME",
		Short: "Wait until a name is free",
		Long: `Wait until nobody holds NAME, and leave it free: the next one to ask may be anybody.
Work that needs the name itself waits for it by ringfence run --wait.

  ringfence wait nightly-backup --timeout 10m && systemctl poweroff

Whom it waits for stands on standard error. It takes no place among those who wait to be
granted the name, and waits an outage of the store out.

Exit status:
  0    nobody held the name when the store was asked
  64   usage: a flag, name, duration or URL is wrong
  69   the timeout is over, and the store can't be asked; or it is unfit to host a lease
  75   the timeout is over, and the name is held
  128+n  ended by signal n`,
		Args: arguments(1, 1, "one NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := fence.CheckName(args[0]); err != nil {
				return err
			}
			for flag, d := range map[string]duration{"interval": interval, "timeout": timeout} {
				if c.Flags().Changed(flag) && (d <= 0 || d > duration(driver.MaxTTL)) {
					return usage("--%s %s: want more than 0s, at most 720h, which are 30 days", flag, span(time.Duration(d)))
				}
			}
			return a.wait(c.Context(), args[0], time.Duration(interval), time.Duration(timeout))
		},
	}
	c.Flags().Var(&interval, "interval", "how often to ask")
	c.Flags().Var(&timeout, "timeout", "give up after that long; never where absent")
	return c
}

func (a *app) wait(ctx context.Context, name string, interval, timeout time.Duration) error {
	t, err := a.target()
	if err != nil {
		return err
	}
	store := t.Lazy()
	defer closeSoon(store)
	l, err := ringfence.New(store, nil)
	if err != nil {
		return err
	}
	early := catchEarly(ctx)
	defer early.stop()
	patience := early.ctx
	if timeout != 0 {
		var cancel context.CancelFunc
		patience, cancel = context.WithTimeout(patience, timeout)
		defer cancel()
	}
	teller := &teller{app: a, job: job{name: name, work: ringfence.Work{Wait: timeout}}}
	_, err = vacancy.Wait(patience, l, name, interval, teller.tellWait)
	switch {
	case err == nil || early.caught() != 0:
	case patience.Err() != nil && status(err) == exitInternal: // before the first answer
		err = &exitError{exitUnavailable, fmt.Errorf("%s: no answer within %s", t.Label, span(timeout))}
	case patience.Err() != nil:
		err = fmt.Errorf("waited %s: %w", span(timeout), err)
	}
	return early.orEnded(err, "")
}
