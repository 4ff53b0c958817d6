package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/election"
	"github.com/ringfence-go/ringfence/fence"
)

func (a *app) observeCmd() *cobra.Command {
	interval := duration(time.Second)
	c := &cobra.Command{
		Use:   "observe NAME",
		Short: "Tell every change of leader",
		Long: `Tell who leads NAME, and then every change that is seen, one line each, until a signal
comes: the time, the state, the token and the holder. With -o json each line is an object.

The store is asked once every --interval. A term that begins and ends within it may be
missed; unseen_seconds of a change says within how long.`,
		Args: arguments(1, 1, "one NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			if err := fence.CheckName(args[0]); err != nil {
				return err
			}
			if interval <= 0 || interval > duration(driver.MaxTTL) {
				return usage("--interval %s: want more than 0s, at most 720h, which are 30 days", span(time.Duration(interval)))
			}
			return a.observe(c.Context(), args[0], time.Duration(interval))
		},
	}
	c.Flags().Var(&interval, "interval", "how often to ask")
	a.outputFlag(c)
	return c
}

func (a *app) observe(ctx context.Context, name string, interval time.Duration) error {
	return a.at(ctx, func(ctx context.Context, s open.Store) error {
		l, err := ringfence.New(s, nil)
		if err != nil {
			return err
		}
		for change, err := range election.Observe(ctx, l, name, &election.ObserveOptions{Interval: interval}) {
			switch {
			case errors.Is(err, ringfence.ErrUnavailable), errors.Is(err, ringfence.ErrUnknown):
				a.say("who leads is not known for now: %v", err)
				continue
			case err == nil:
				err = a.printChange(change)
			}
			if err != nil {
				return err
			}
		}
		return context.Cause(ctx)
	})
}

// changeJSON is a change of leader for programs.
type changeJSON struct {
	SeenAt        time.Time    `json:"seen_at"`
	State         driver.State `json:"state"`
	Token         fence.Token  `json:"token,omitzero"`
	Holder        string       `json:"holder,omitempty"`
	GrantedAt     time.Time    `json:"granted_at,omitzero"`
	UnseenSeconds float64      `json:"unseen_seconds"`
}

func (a *app) printChange(c election.Change) error {
	now := time.Now().UTC()
	if a.output == "json" {
		return json.NewEncoder(a.out).Encode(changeJSON{now, c.State, c.Fence.Token, c.Holder, c.At, c.Unseen.Seconds()})
	}
	_, err := fmt.Fprintf(a.out, "%s  %-8s  %s  %s\n", stamp(now), c.State, c.Fence.Token, orDash(c.Holder))
	return err
}
