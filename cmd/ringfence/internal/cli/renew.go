package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/grant"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

func (a *app) renewCmd() *cobra.Command {
	var length duration
	c := &cobra.Command{
		Use:   "renew FILE",
		Short: "Renew the lease of a grant file",
		Long: `Make the lease whose grant is in FILE last for its whole length from now, and write that
to FILE.

` + stepsHelp + `

Exit status:
  0    renewed
  64   usage: a flag, the file or a URL is wrong
  69   the store can't be used; the lease is as it was, until its trusted_until
  79   the lease is over: stop the work, and release FILE
  125  ringfence itself failed
  128+n  ended by signal n`,
		Args: arguments(1, 1, "one FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			if c.Flags().Changed("lease") && (length < duration(open.MinLease) || length > duration(driver.MaxTTL)) {
				return usage("--lease %s: want %s to 720h, which are 30 days", span(time.Duration(length)), open.MinLease)
			}
			return a.withGrant(c.Context(), args[0], "renew", time.Duration(length), held.renewGrant)
		},
	}
	c.Flags().Var(&length, "lease", "length of the lease from now on; as before where absent")
	a.journalFlag(c)
	a.outputFlag(c)
	return c
}

func (a *app) releaseCmd() *cobra.Command {
	c := &cobra.Command{
		Use:   "release FILE",
		Short: "Release the lease of a grant file",
		Long: `Release the lease whose grant is in FILE, and take FILE away.

` + stepsHelp + `

Exit status:
  0    released: nobody else held the name since it was acquired
  64   usage: the file or a URL is wrong; there is no FILE after a release
  69   the store can't be used; FILE is left, so that the release can be tried again
  79   the lease had ended before: what was done since may have run beside another holder
  125  ringfence itself failed
  128+n  ended by signal n`,
		Args: arguments(1, 1, "one FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withGrant(c.Context(), args[0], "release", 0, held.releaseGrant)
		},
	}
	a.journalFlag(c)
	return c
}

// withGrant takes up the lease in the file for one step. A length that is not 0 is its new
// one.
func (a *app) withGrant(ctx context.Context, file, what string, length time.Duration, do func(held, *grant.Held, *ringfence.Lease) error) error {
	f, err := grant.Take(ctx, file)
	if err != nil {
		return err
	}
	defer f.Close()
	if length != 0 {
		f.TTL = length
	}
	return a.hold(ctx, step(f.Fence.Name, what), func(h held) error {
		if f.Store != h.label {
			return usage("grant file %q is of the store %s, and this is %s: name that one by --store or %s", file, f.Store, h.label, storeEnv)
		}
		lease, err := h.locker.Resume(h.early.ctx, f.Grant.Grant, f.Age())
		if err != nil {
			return err
		}
		defer lease.Abandon()
		return h.early.orEnded(do(h, f, lease), "")
	})
}

func (h held) renewGrant(f *grant.Held, lease *ringfence.Lease) error {
	if err := lease.Renew(h.early.ctx); err != nil {
		return lostBy(f.Fence, err)
	}
	g := grant.Of(h.label, lease)
	if err := f.Write(g); err != nil {
		return err
	}
	return h.app.printGrant(g, "", "")
}

// releaseGrant keeps the file only where the store could not be told.
func (h held) releaseGrant(f *grant.Held, lease *ringfence.Lease) error {
	lapsed := lease.Remaining() <= 0
	err := lease.Release(h.early.ctx)
	if err == nil && lapsed { // the store's lease lasted a moment longer than its holder's trust in it
		err = &ringfence.EndedError{Fence: f.Fence, Cause: ringfence.EndExpired}
	}
	err = lostBy(f.Fence, err)
	if err != nil && !errors.Is(err, ringfence.ErrLost) {
		return err
	}
	if err != nil {
		h.record.witness.Saw(ringfence.Event{Kind: ringfence.EventSuspect, Fence: f.Fence, Err: err})
	}
	if left := f.Remove(); left != nil && err == nil {
		err = left
	}
	return err
}

// lostBy is err, as a loss where it says that the term is over.
func lostBy(f fence.Fence, err error) error {
	if ended, ok := errors.AsType[*ringfence.EndedError](err); ok {
		return &ringfence.LostError{Fence: f, Cause: ended.Cause, Suspect: true}
	}
	return err
}
