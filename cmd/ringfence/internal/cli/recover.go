package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/recovery"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
)

// recoverFlags are what recover is told.
type recoverFlags struct {
	above         string
	force, dryRun bool
	destinations  []string
	accept        []string
	prefix        string
}

const recoverHelp = `Make the store grant only tokens above every mark of the destinations that its leases
protect, and accept the identity that it has now. In this order:

  1. read the marks of each --destination; one that can't be reached ends it here,
     unless --accept-risk names it too
  2. choose a floor well above the highest of them, and not below --above TOKEN
  3. raise every mark to that floor, so that nothing older can land any more
  4. let the store grant, above the floor

A holder whose token is not above the floor is refused from step 3 on, and stops.
Marks belong to leases: where others than this store's are guarded at a destination,
name those of this store by --prefix. A floor never falls.

A store with a clock of its own rarely needs this: the clock lends every token a floor
that no restore and no fail-over takes away. It is for a store that lost grants made
while its clock ran ahead, and for etcd after a restore, whose store refuses to grant
until then. Without --destination and --above, which etcd wants, the floor stays as it
is.

A floor more than a day ahead of this machine's clock is refused, unless --force is
given: guards refuse the tokens above it as invented, until their clocks come near.
The highest token there is is always refused: nothing could be granted above it.

Destinations are the databases of guarded rows and tables, sqlite:, postgres: and mysql:,
servers of guarded keys, redis: and etcd://HOST/PREFIX-OF-THE-GUARD, and guarded objects,
s3://BUCKET/KEY and gs://BUCKET/KEY. A fence column in a table of your own is read by
you: give its highest value by --above.`

func (a *app) recoverCmd() *cobra.Command {
	var f recoverFlags
	c := &cobra.Command{
		Use:   "recover [--destination URL]... [--above TOKEN]",
		Short: "Raise the store's floor above every mark, and accept its present identity",
		Long:  recoverHelp,
		Args:  arguments(0, 0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			plan, err := a.recoveryPlan(f, c.Flags().Changed("above"))
			if err != nil {
				return err
			}
			return a.recover(c.Context(), plan)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.above, "above", "", "grant only tokens above `TOKEN`")
	flags.BoolVar(&f.force, "force", false, "accept a floor more than a day ahead of the clock")
	flags.StringArrayVar(&f.destinations, "destination", nil, "`URL` of a place where the leases' fences are checked; may be repeated")
	flags.StringArrayVar(&f.accept, "accept-risk", nil, "go on without this destination `URL` if it can't be reached; may be repeated")
	flags.StringVar(&f.prefix, "prefix", "", "only the marks of leases whose names begin with `PREFIX`")
	flags.BoolVar(&f.dryRun, "dry-run", false, "read the marks and say what would be done")
	a.journalFlag(c)
	a.outputFlag(c)
	return c
}

// recoverLimit bounds each question of a recovery: raising many marks takes time, and
// so does a floor in an object store.
const recoverLimit = time.Minute

func (a *app) recoveryPlan(f recoverFlags, above bool) (recovery.Plan, error) {
	p := recovery.Plan{
		Prefix: f.prefix, DryRun: f.dryRun, Limit: recoverLimit,
		Check: func(floor fence.Token) error { return checkAbove(floor, time.Now(), f.force) },
	}
	if above {
		var err error
		if p.Above, err = fence.ParseToken(f.above); err != nil {
			return p, fmt.Errorf("--above: %w", err)
		}
		if err := p.Check(p.Above); err != nil {
			return p, err
		}
	}
	if store, err := a.named(); err == nil && store.Kind == open.Etcd && p.Above == 0 && len(f.destinations) == 0 {
		return p, usage("etcd lends no clock that lies above what a restore took away: name the places where its tokens are checked by --destination, or the highest token by --above; --above 1 does where the restore has bumped the revisions")
	}
	accepted, err := a.targets("--accept-risk", f.accept)
	if err != nil {
		return p, err
	}
	all, err := a.targets("--destination", f.destinations)
	if err != nil {
		return p, err
	}
	for _, t := range all {
		risk := func(other open.Target) bool { return other.Label == t.Label }
		p.Places = append(p.Places, recovery.Place{
			Label: t.Label, Risk: slices.ContainsFunc(accepted, risk),
			Open: func(ctx context.Context) (recovery.Destination, error) { return t.Destination(ctx) },
		})
	}
	for _, t := range accepted {
		if !slices.ContainsFunc(p.Places, func(place recovery.Place) bool { return place.Label == t.Label }) {
			return p, usage("--accept-risk %s is no --destination: name it as both", t.Label)
		}
	}
	return p, nil
}

func (a *app) targets(flag string, urls []string) (all []open.Target, err error) {
	for _, raw := range urls {
		t, err := open.Parse(raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		all = append(all, t)
	}
	a.warnOfPasswords(flag, all)
	return all, nil
}

// checkAbove refuses a floor that cannot be taken back: one whose tokens no guard
// accepts, or that leaves no token at all.
func checkAbove(token fence.Token, now time.Time, force bool) error {
	switch {
	case token >= fence.MaxToken:
		return usage("the floor %s is the highest token there is: nothing could be granted above it, ever; give the highest mark that you know of by --above", token)
	case token > fence.FutureLimit(fence.TickOf(now)) && !force:
		return usage("the floor %s belongs to %s, more than a day ahead of this clock: guards would refuse every new token until shortly before then, and a floor never falls; check the marks, --above and the clock, or add --force",
			token, token.Time().Format(time.RFC3339))
	}
	return nil
}

func (a *app) recover(ctx context.Context, p recovery.Plan) error {
	err := a.at(ctx, func(ctx context.Context, s open.Store) error {
		report, floor, err := recovery.Run(ctx, s, p)
		if err != nil {
			return recoveryFailed(err, p.DryRun)
		}
		id, err := asked(ctx, s.Identity)
		if err != nil {
			return err
		}
		a.warnOfNoMarks(report)
		label := s.Properties().Store
		if !p.DryRun {
			a.note(ctx, journal.Event{Kind: journal.Recovered, Token: floor, By: person("")})
		}
		answer := struct {
			Store    string          `json:"store"`
			Identity driver.Identity `json:"identity"`
			recovery.Report
		}{label, id, report}
		return a.print(answer, func(w io.Writer) error {
			if err := tellDestinations(w, report); err != nil {
				return err
			}
			if p.DryRun {
				_, err := fmt.Fprintf(w, "%s would grant only tokens above %s; nothing was changed\n", label, max(report.Floor, id.Floor))
				return err
			}
			_, err := fmt.Fprintf(w, "%s grants only tokens above %s, and accepts its identity %s\n", label, floor, id.Current)
			return err
		})
	})
	return halfWay(err, p.DryRun)
}

// halfWay adds to the end by a signal what may have been done by then.
func halfWay(err error, dryRun bool) error {
	e, ok := errors.AsType[*exitError](err)
	if !ok || e.code <= exitSignal || dryRun {
		return err
	}
	return &exitError{e.code, fmt.Errorf("%w; what was raised stays: run it again", e.err)}
}

// recoveryFailed says what is so now, and what to do.
func recoveryFailed(err error, dryRun bool) error {
	_, told := errors.AsType[*exitError](err)
	if told || errors.Is(err, fence.ErrInvalid) || !errors.Is(err, recovery.ErrClosed) {
		return err
	}
	stay := "marks that were raised stay: "
	if dryRun {
		stay = ""
	}
	return &exitError{exitUnavailable, fmt.Errorf("%w; %srun it again when the destination can be reached, or name it with --accept-risk too", err, stay)}
}

// warnOfNoMarks tells of destinations where nothing was found, as nothing is under a
// misspelled key.
func (a *app) warnOfNoMarks(r recovery.Report) {
	for _, d := range r.Destinations {
		if d.Count == 0 && d.Error == "" {
			a.say("warning: no mark was found at %s: see that it is where the fences of these leases are checked", d.Label)
		}
	}
}

// tellDestinations is the table of what was read and done.
func tellDestinations(w io.Writer, r recovery.Report) error {
	if len(r.Destinations) == 0 {
		return nil
	}
	rows := [][]string{{"DESTINATION", "MARKS", "HIGHEST", "RAISED"}}
	for _, d := range r.Destinations {
		row := []string{d.Label, strconv.Itoa(d.Count), "-", strconv.Itoa(d.Raised)}
		switch {
		case d.Error != "":
			row = []string{d.Label, "?", "?", "left out: " + d.Error}
		case d.Count > 0:
			row[2] = d.Highest.String()
		}
		rows = append(rows, row)
	}
	return table(w, rows)
}
