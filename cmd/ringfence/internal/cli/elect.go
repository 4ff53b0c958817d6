package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/child"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/election"
	"github.com/ringfence-go/ringfence/fence"
)

// electFlags are the flags of elect as they were typed.
type electFlags struct {
	lease, grace, pause duration
	once, isolate       bool
	unavailable, holder string
	fenced              fencedFlags
	sign                signFlags
	onLost              onLostFlag
}

func (a *app) electCmd() *cobra.Command {
	var f electFlags
	c := &cobra.Command{
		Use:   "elect NAME --if-unavailable wait|fail [flags] -- COMMAND [ARG...]",
		Short: "Run a command while this machine is the leader",
		Long: `Stand for election to NAME, run COMMAND for as long as the term lasts, and stand again.
Of all who stand for a name one runs its command; the others wait.

  ringfence elect scheduler --if-unavailable wait -- ./scheduler

When the term is about to end, the command's processes get TERM, and when the grace is
nearly over KILL, so that none is left when another may lead. It is run anew with the next
term that this candidate wins. When the command ends by itself, with whatever status, the
term is given up, and this candidate holds back for --pause so that another is elected.

INT, TERM, HUP and QUIT that reach ringfence are passed on to the command. After INT, TERM
or QUIT, or when one of the four has ended the command, ringfence ends with it.

What the command finds in its environment is said in ringfence run --help. There is no
RINGFENCE_DEADLINE.

` + fencedHelp + `

` + signHelp + `

` + onLostHelp + `
This candidate stands again when the line has ended; the status is 79 with --once alone.

` + isolateHelp + `

On standard error stand one line when the term begins, "leading NAME with token N", and
one when its command has ended.

` + exitHelp,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			j, stand, err := f.job(c, args)
			if err != nil {
				return err
			}
			return a.elect(c.Context(), j, stand)
		},
	}
	f.lease, f.grace, f.pause = duration(ringfence.DefaultLease), duration(ringfence.DefaultGrace), duration(election.DefaultPause)
	fl := c.Flags()
	fl.Var(&f.lease, "lease", "length of the lease: how long after a crash nobody leads")
	fl.Var(&f.grace, "grace", "time to stop after TERM; a third of --lease where that is less")
	fl.Var(&f.pause, "pause", "time to hold back after the command has ended by itself")
	fl.BoolVar(&f.once, "once", false, "end with the first term, and with the command's status")
	fl.StringVar(&f.unavailable, "if-unavailable", "", "`ACTION` when the store is down before a term: wait, or fail (status 69); required")
	fl.StringVar(&f.holder, "holder", "", "`LABEL` that others see; HOST:PID where absent")
	f.fenced.add(c)
	f.sign.add(c)
	f.onLost.add(c)
	addIsolate(c, &f.isolate)
	a.journalFlag(c)
	_ = c.RegisterFlagCompletionFunc("if-unavailable", cobra.FixedCompletions([]string{"wait", "fail"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

var standWords = map[string]election.Unavailable{"wait": election.Wait, "fail": election.Fail}

// job checks everything that can be checked before the store is touched.
func (f electFlags) job(c *cobra.Command, args []string) (job, election.Candidacy, error) {
	stand := election.Candidacy{Lease: time.Duration(f.lease), Pause: time.Duration(f.pause), Once: f.once, Holder: f.holder}
	if dash := c.ArgsLenAtDash(); dash != 1 || len(args) < 2 {
		return job{}, stand, usage("want one NAME, then -- and the command: ringfence elect NAME [flags] -- COMMAND [ARG...]")
	}
	j := job{name: args[0], args: args[1:], onLost: f.onLost, isolate: f.isolate}
	if err := fence.CheckName(j.name); err != nil {
		return j, stand, err
	}
	var known bool
	if stand.Unavailable, known = standWords[f.unavailable]; !known {
		return j, stand, usage("--if-unavailable %s: say what to do when the store is down: wait or fail", fence.Quote(f.unavailable))
	}
	if err := f.checkDurations(c.Flags().Changed("grace")); err != nil {
		return j, stand, err
	}
	if c.Flags().Changed("grace") {
		stand.Grace = time.Duration(f.grace)
	}
	if err := driver.CheckHolder(f.holder); err != nil {
		return j, stand, usage("--holder: %w", err)
	}
	if err := f.onLost.check(c); err != nil {
		return j, stand, err
	}
	j.work = ringfence.Work{Renew: true, Lease: stand.Lease, Grace: stand.Grace, Unavailable: ringfence.Fail, Holder: f.holder}
	var err error
	if j.plan, err = j.work.Plan(); err != nil {
		return j, stand, err
	}
	if j.fenced, err = f.fenced.check(); err != nil {
		return j, stand, err
	}
	if j.signing, err = f.sign.check(c, j); err != nil {
		return j, stand, err
	}
	if err := child.Find(j.args); err != nil {
		return j, stand, startError(err)
	}
	return j, stand, checkIsolate(j.isolate)
}

func (f electFlags) checkDurations(graceGiven bool) error {
	most := duration(driver.MaxTTL)
	switch {
	case f.lease < duration(open.MinLease) || f.lease > most:
		return usage("--lease %s: want %s to 720h, which are 30 days", span(time.Duration(f.lease)), open.MinLease)
	case graceGiven && (f.grace <= 0 || f.grace >= f.lease/2):
		return usage("--grace %s: want more than 0s, and less than half of the lease of %s, or no renewal fits before it",
			span(time.Duration(f.grace)), &f.lease)
	case f.pause <= 0 || f.pause > most:
		return usage("--pause %s: want more than 0s, at most 720h, which are 30 days", span(time.Duration(f.pause)))
	}
	return nil
}

func (a *app) elect(ctx context.Context, j job, stand election.Candidacy) error {
	return a.hold(ctx, j, func(h held) error {
		ran := false // the command, in the last term
		stand.OnEvent = func(e election.Event) {
			if e.Kind == election.EventLost && ran {
				h.heedLoss(e.Err)
			}
		}
		err := election.Run(h.early.ctx, h.locker, j.name, stand, func(ctx context.Context, term *election.Term) (err error) {
			ran, err = h.lead(ctx, stand, term)
			return err
		})
		if sig := h.early.caught(); sig != 0 && errors.Is(err, context.Canceled) {
			return &exitError{exitSignal + int(sig), fmt.Errorf("ended by the signal %v while it was not leading", sig)}
		}
		return err
	})
}

// lead runs the command for one term, and has follow what does when it has ended.
func (h held) lead(ctx context.Context, stand election.Candidacy, term *election.Term) (ran bool, err error) {
	h.app.say("leading %s with token %s", fence.Quote(h.job.name), term.Fence().Token)
	err = h.supervise(ctx, term.Lease())
	ran = h.early.started()
	h.follow(ctx, stand, term, ran, err)
	return ran, err
}

// follow ends the candidacy, or lets the candidate stand again, after a term whose command came to err.
func (h held) follow(ctx context.Context, stand election.Candidacy, term *election.Term, ran bool, err error) {
	name := fence.Quote(h.job.name)
	own, isOwn := errors.AsType[*exitError](err)
	switch asked := h.early.regain(); {
	case ran && isOwn && own.err != nil: // it can't be ended, and none is run beside it
		h.early.cancel()
	case asked != 0, ctx.Err() == nil && endedBySignal(status(err)):
		h.early.cancel()
	case ctx.Err() != nil: // the term is over
		if ran {
			h.app.say("the command has ended with the term of %s with token %s", name, term.Fence().Token)
		}
	case stand.Once, isOwn && own.err != nil: // it can't be run
	default:
		what := fmt.Sprintf("the command ended with status %d", status(err))
		if err != nil && !isOwn {
			what = err.Error()
		}
		h.app.say("%s; standing again for %s in %s", what, name, span(stand.Pause))
		term.Resign()
	}
}

// endedBySignal reports whether a command was ended by one of the signals with which
// somebody asks a program to end.
func endedBySignal(status int) bool {
	switch status - exitSignal {
	case 1, 2, 3, 15: // HUP, INT, QUIT, TERM
		return true
	}
	return false
}
