package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/grant"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// stepsHelp is what the commands for the steps of a script have in common.
const stepsHelp = `  eval "$(ringfence acquire report --lease 5m --grant report.grant)" || exit
  ./make-report                                        # finds RINGFENCE_FENCE
  ringfence renew report.grant && ./publish-report     # for another 5m from now
  ringfence release report.grant                       # 79: somebody else may have run too

Nothing renews the lease in between, and nothing ends the work when it is over: ringfence
run does both, and is to be preferred where the work is one command. Whoever can read the
grant file can renew and release the term, so its mode is 0600, and one that others have
rights to is refused. It is of use on the machine that it was made on.`

type acquireFlags struct {
	lease, wait  duration
	file, holder string
	establish    []string
	sign         signFlags
}

func (a *app) acquireCmd() *cobra.Command {
	var f acquireFlags
	c := &cobra.Command{
		Use:   "acquire NAME --lease D --grant FILE",
		Short: "Acquire a name for the steps of a script",
		Long: `Acquire NAME, write the grant to FILE, and print the fence as variables for eval.

` + stepsHelp + `

The variables are RINGFENCE_NAME, RINGFENCE_TOKEN and RINGFENCE_FENCE, as in ringfence run,
and with --sign RINGFENCE_SIGNATURE.
trusted_until in FILE, and in the answer for -o json, is until when the lease is trusted on
the clock of this machine: work that must not run beside another's has to be over by then. A
FILE that holds a grant which is still trusted is left alone (status 75); one whose trust is
over is replaced.

--establish begins the term at every guarded table of a database that the lease protects:
nothing older can land there any more.

--sign has a key of a file of ringfence keys vouch for the fence, for the one destination
that --audience names. Renewals don't sign anew: let the signature last for all of the work.

Exit status:
  0    acquired
  64   usage: a flag, name, duration, file or URL is wrong
  69   the store can't be used: unreachable, or unfit to host a lease
  75   the name is held by somebody else, or kept for one who waits for it, or FILE holds a grant
  77   a database refused the term that --establish begins; nothing is held
  125  the grant could not be written or printed; it was released
  128+n  ended by signal n; nothing is held`,
		Args: arguments(1, 1, "one NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(a, args[0]); err != nil {
				return err
			}
			j := step(args[0], "acquire")
			j.work.Wait, j.work.Holder = time.Duration(f.wait), f.holder
			var err error
			if j.fenced, err = (fencedFlags{establish: f.establish}).check(); err != nil {
				return err
			}
			if j.signing, err = f.sign.check(c, j); err != nil {
				return err
			}
			return a.hold(c.Context(), j, func(h held) error { return h.early.orEnded(h.acquire(f), "; nothing is held") })
		},
	}
	fl := c.Flags()
	fl.Var(&f.lease, "lease", "length of the lease, and of each renewal; required")
	fl.StringVar(&f.file, "grant", "", "write the grant to `FILE`; required")
	fl.Var(&f.wait, "wait", "wait that long for the name, or for the store")
	fl.StringVar(&f.holder, "holder", "", "`LABEL` that others see; HOST:PID of the script where absent")
	addEstablish(c, &f.establish)
	f.sign.add(c)
	a.journalFlag(c)
	a.outputFlag(c)
	return c
}

// step is the job of a command that is one step of a script.
func step(name, what string) job { return job{name: name, args: []string{what}, step: true} }

func (f *acquireFlags) check(a *app, name string) error {
	if err := a.checkOutput(); err != nil {
		return err
	}
	if err := fence.CheckName(name); err != nil {
		return err
	}
	switch {
	case f.file == "":
		return usage("--grant is required: the file to write the grant to")
	case f.lease < duration(open.MinLease) || f.lease > duration(driver.MaxTTL):
		return usage("--lease is required: from %s to 720h, which are 30 days", open.MinLease)
	case f.wait < 0 || f.wait > duration(driver.MaxTTL):
		return usage("--wait %s: want 0s, which is not to wait, to 720h, which are 30 days", span(time.Duration(f.wait)))
	}
	if f.holder == "" {
		host, _, _ := strings.Cut(ringfence.DefaultHolder(), ":")
		f.holder = fmt.Sprintf("%s:%d", host, os.Getppid())
	}
	if err := driver.CheckHolder(f.holder); err != nil {
		return usage("--holder: %w", err)
	}
	return nil
}

func (h held) acquire(f acquireFlags) error {
	ctx := h.early.ctx
	was, err := grant.Clear(ctx, f.file)
	switch {
	case errors.Is(err, grant.ErrInUse):
		return &exitError{exitHeld, fmt.Errorf("grant file %q: %w: %s with token %s until %s; ringfence release gives it back",
			f.file, err, fence.Quote(was.Fence.Name), was.Fence.Token, stamp(was.TrustedUntil()))}
	case err != nil:
		return err
	case was.Fence.Token != 0:
		h.app.say("the grant that was in %q is over: %s with token %s was trusted until %s and not given back",
			f.file, fence.Quote(was.Fence.Name), was.Fence.Token, stamp(was.TrustedUntil()))
	}
	lease, err := h.ask(ctx, ringfence.Hold{TTL: time.Duration(f.lease), Holder: f.holder})
	if err != nil {
		return err
	}
	defer lease.Abandon()
	g := grant.Of(h.label, lease)
	signature, err := h.begin(ctx, lease)
	if err == nil {
		err = h.handOver(f.file, g, signature)
	}
	if err != nil {
		if untold := lease.Release(context.WithoutCancel(ctx)); untold != nil {
			h.app.say("warning: %v", untold)
		}
		return err
	}
	return nil
}

// handOver writes the grant down and says what it is, both or nothing.
func (h held) handOver(file string, g grant.Grant, signature string) error {
	if err := grant.Create(file, g); err != nil {
		return err
	}
	err := h.app.printGrant(g, signature, variables(g.Fence, signature))
	if err != nil {
		err = errors.Join(fmt.Errorf("print the grant: %w", err), os.Remove(file))
	}
	return err
}

// begin signs the fence and establishes the term while there is trust in the lease.
func (h held) begin(ctx context.Context, lease *ringfence.Lease) (signature string, err error) {
	signature, err = h.job.signing.sign(lease.Fence())
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lease.Remaining(),
		fmt.Errorf("establish %s: the lease was over before its term was established; give it a longer --lease", fence.Quote(h.job.name)))
	defer cancel()
	if err := h.app.establish(ctx, h.job, lease, signature); err != nil {
		return "", err
	}
	return signature, context.Cause(ctx)
}

func (h held) ask(ctx context.Context, hold ringfence.Hold) (*ringfence.Lease, error) {
	if wait := h.job.work.Wait; wait != 0 {
		return h.locker.Acquire(ctx, h.job.name, wait, hold)
	}
	return h.locker.TryAcquire(ctx, h.job.name, hold)
}

// grantJSON is a grant for programs, without its secret.
type grantJSON struct {
	Name             string      `json:"name"`
	Token            fence.Token `json:"token"`
	Fence            string      `json:"fence"`
	Holder           string      `json:"holder"`
	TrustedUntil     time.Time   `json:"trusted_until"`
	RemainingSeconds float64     `json:"remaining_seconds"`
	Signature        string      `json:"signature,omitempty"`
}

// printGrant prints the grant and its signature, if there is one, for programs, and text
// for people.
func (a *app) printGrant(g grant.Grant, signature, text string) error {
	v := grantJSON{g.Fence.Name, g.Fence.Token, g.Fence.String(), g.Holder, g.TrustedUntil().UTC(), g.Remaining().Seconds(), signature}
	return a.print(map[string]any{"grant": v}, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// variables are lines for eval.
func variables(f fence.Fence, signature string) string {
	all := fenceVariables(f)
	if signature != "" {
		all[signatureEnv] = signature
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "export %s='%s'\n", name, strings.ReplaceAll(all[name], "'", `'\''`))
	}
	return b.String()
}
