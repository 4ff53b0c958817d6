package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/child"
)

const onLostHelp = `--on-lost runs a line of sh when the lease ended before the work did, after every process
of the command has ended: to tell somebody, or to undo half a job. It has a minute. It is
itself under no lease: a newer holder may be at work, and guards refuse what it writes with
the fence. What it prints goes to standard error, and the exit status is 79 all the same.
It finds RINGFENCE_NAME, RINGFENCE_TOKEN and RINGFENCE_FENCE of the term that was lost, which
is that of one of several names, and of a --shared lease that of its slot, NAME#r1 say; and
  RINGFENCE_LOST      how the lease ended: expired, superseded, forced or unreachable
  RINGFENCE_SUSPECT   1 where the command may have run beside another holder; else absent`

// onLostFlag is a line of sh.
type onLostFlag string

func (f *onLostFlag) add(c *cobra.Command) {
	c.Flags().StringVar((*string)(f), "on-lost", "", "run the line `CMD` by sh when the lease ended before the work did")
}

func (f onLostFlag) check(c *cobra.Command) error {
	if c.Flags().Changed("on-lost") && strings.TrimSpace(string(f)) == "" {
		return usage("--on-lost is empty: give a line for sh")
	}
	return nil
}

const (
	onLostTimeout = time.Minute
	onLostGrace   = 5 * time.Second
)

// heedLoss runs what --on-lost says where err is a loss. A command that was not started
// has left nothing to see to.
func (h held) heedLoss(err error) {
	lost, ok := errors.AsType[*ringfence.LostError](err)
	if !ok || h.job.onLost == "" {
		return
	}
	if trouble := h.runOnLost(lost); trouble != nil {
		h.app.say("warning: --on-lost: %v", trouble)
	}
}

func (h held) runOnLost(lost *ringfence.LostError) error {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	p, err := child.Start(child.Command{
		Args: []string{"/bin/sh", "-c", string(h.job.onLost)}, Env: child.Env(os.Environ(), lostEnv(lost), h.job.drop...),
		Stdin: null, Stdout: os.Stderr,
	})
	if err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(context.Background(), onLostTimeout)
	defer cancel()
	r := p.Wait(child.Limits{Stop: limit.Done(), Grace: onLostGrace})
	switch {
	case r.Err != nil:
		return r.Err
	case r.Stopped:
		return fmt.Errorf("it was ended after %s", span(onLostTimeout))
	case r.ExitCode != 0:
		return fmt.Errorf("it ended with status %d", r.ExitCode)
	}
	return nil
}

// lostEnv is what the line finds in its environment.
func lostEnv(lost *ringfence.LostError) map[string]string {
	env := fenceVariables(lost.Fence)
	env["RINGFENCE_LOST"] = string(lost.Cause)
	if lost.Suspect {
		env["RINGFENCE_SUSPECT"] = "1"
	}
	return env
}
