package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/child"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// runFlags are the flags of run as they were typed.
type runFlags struct {
	timeout, grace, lease, wait, minHold duration
	renew, isolate                       bool
	kind                                 kindFlags
	unavailable, held, holder            string
	fenced                               fencedFlags
	sign                                 signFlags
	onLost                               onLostFlag
	retry                                retryFlag
}

func (a *app) runCmd() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run NAME (--timeout D | --renew) --if-unavailable fail|skip|run-unfenced [flags] -- COMMAND [ARG...]",
		Short: "Run a command under a lease",
		Long: `Acquire NAME, run COMMAND, release NAME when every process of it has ended.

  ringfence run report --timeout 5m --if-unavailable fail -- ./make-report
  ringfence run leader --renew --if-unavailable fail -- ./worker

Bounded work takes --timeout: the lease is the timeout plus the grace, and there is
no heartbeat. Work without a bound takes --renew. Both together bound the work and
free the name soon after a crash.

At the timeout, or when the lease is about to end, the command's processes get
TERM, and when the grace is nearly over KILL, so that none is left when the lease
ends. Signals that reach ringfence are passed on to them.

The command finds in its environment:
  RINGFENCE_NAME      the name
  RINGFENCE_TOKEN     the token of this term: a decimal number that rises with every term
  RINGFENCE_FENCE     both, as one word, for guards
  RINGFENCE_DEADLINE  when the timeout ends (RFC 3339, UTC); absent without --timeout
  RINGFENCE_REFUSALS  where ringfence sql and publish note a refusal, for the record of this run
Variables of ours that name the store are taken out. With run-unfenced, when the
store is down, there is no RINGFENCE_TOKEN and no RINGFENCE_FENCE.
With a postgres:// store without a password in its URL, PGPASSWORD and PGPASSFILE
are taken out too; -- env PGPASSFILE=... COMMAND gives the command its own. With a
mysql:// store so is MYSQL_PWD.

` + fencedHelp + `

` + signHelp + `

` + kindHelp + `

` + minHoldHelp + `

` + retryHelp + `

` + onLostHelp + `

` + isolateHelp + `

Durations are written like 500ms, 90s, 5m, 2h.

` + exitHelp,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			j, err := f.job(c, args)
			if err != nil {
				return err
			}
			return a.run(c.Context(), j)
		},
	}
	fl := c.Flags()
	f.lease = duration(ringfence.DefaultLease)
	f.grace = duration(ringfence.DefaultGrace)
	fl.Var(&f.timeout, "timeout", "bound the work")
	fl.BoolVar(&f.renew, "renew", false, "renew the lease while the work runs")
	fl.Var(&f.lease, "lease", "length of a renewed lease; only with --renew")
	fl.Var(&f.grace, "grace", "time to stop after TERM; with --renew a third of --lease where that is less")
	fl.Var(&f.wait, "wait", "wait that long for the name, or for the store")
	fl.Var(&f.minHold, "min-hold", "hold the name for that long from the grant on at least, also when the command ends before")
	fl.StringVar(&f.held, "if-held", "fail", "`ACTION` when the name is held: fail (status 75) or skip (status 0)")
	fl.StringVar(&f.unavailable, "if-unavailable", "", "`ACTION` when the store is down: fail (status 69), skip (status 0) or run-unfenced; required")
	fl.StringVar(&f.holder, "holder", "", "`LABEL` that others see; HOST:PID where absent")
	f.kind.add(c)
	f.fenced.add(c)
	f.sign.add(c)
	f.onLost.add(c)
	f.retry.add(c)
	addIsolate(c, &f.isolate)
	a.journalFlag(c)
	complete := func(flag string, words ...string) {
		_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
	complete("if-held", "fail", "skip")
	complete("if-unavailable", "fail", "skip", "run-unfenced")
	return c
}

// job is a checked command line of run.
type job struct {
	name string
	work ringfence.Work
	plan ringfence.Plan
	args []string
	drop []string // variables of the environment that the command does not get
	// refusals is the file where it notes what was refused; empty where nothing is recorded.
	refusals string

	fenced  fenced
	signing signing
	onLost  onLostFlag
	retry   retryFlag
	isolate bool
	step    bool // of a script: no command is run
}

const minHoldHelp = `--min-hold is for short work that several machines are due to do at the same time, by
clocks that differ a little: the command ends when it ends, and the name stays held until
that long after the grant, so that the others, with --if-held skip, do nothing. Nobody has
to stay for that: the lease is as long, where it was shorter, or is cut to it. So the name
is held for as long after a crash too, and after a failure. Only a command that could not
be started frees it at once. Make it longer than the clocks differ, and shorter than the
time from one run to the next.`

var unavailableWords = map[string]ringfence.Unavailable{
	"fail": ringfence.Fail, "skip": ringfence.Skip, "run-unfenced": ringfence.RunUnfenced,
}

var heldWords = map[string]ringfence.Held{"fail": ringfence.FailIfHeld, "skip": ringfence.SkipIfHeld}

// job checks everything that can be checked before the store is touched.
func (f runFlags) job(c *cobra.Command, args []string) (job, error) {
	if dash := c.ArgsLenAtDash(); dash != 1 || len(args) < 2 {
		return job{}, usage("want one NAME, then -- and the command: ringfence run NAME [flags] -- COMMAND [ARG...]")
	}
	j := job{name: args[0], args: args[1:]}
	if err := fence.CheckName(j.name); err != nil {
		return j, err
	}
	if err := f.checkGiven(c); err != nil {
		return j, err
	}
	var known bool
	if j.work.Unavailable, known = unavailableWords[f.unavailable]; !known {
		return j, usage("--if-unavailable %s: say what to do when the store is down: fail, skip or run-unfenced", fence.Quote(f.unavailable))
	}
	if j.work.Held, known = heldWords[f.held]; !known {
		return j, usage("--if-held %s: want fail or skip", fence.Quote(f.held))
	}
	j.work.Timeout, j.work.Renew, j.work.Wait, j.work.Holder = time.Duration(f.timeout), f.renew, time.Duration(f.wait), f.holder
	j.work.MinHold, j.onLost, j.retry, j.isolate = time.Duration(f.minHold), f.onLost, f.retry, f.isolate
	if c.Flags().Changed("lease") {
		j.work.Lease = time.Duration(f.lease)
	}
	if c.Flags().Changed("grace") {
		j.work.Grace = time.Duration(f.grace)
	}
	var err error
	if j.work.Kind, err = f.kind.check(c, j.name); err != nil {
		return j, err
	}
	if j.plan, err = j.work.Plan(); err != nil {
		return j, err
	}
	if err := f.checkLease(j.plan); err != nil {
		return j, err
	}
	if j.fenced, err = f.fenced.check(); err != nil {
		return j, err
	}
	if j.signing, err = f.sign.check(c, j); err != nil {
		return j, err
	}
	if err := child.Find(j.args); err != nil {
		return j, startError(err)
	}
	return j, checkIsolate(j.isolate)
}

// checkGiven refuses what the library would read as "not said".
func (f runFlags) checkGiven(c *cobra.Command) error {
	given := c.Flags().Changed
	if f.timeout == 0 && !f.renew && !given("timeout") {
		return usage("give --timeout, which bounds the work, or --renew, or both")
	}
	if !given("if-unavailable") {
		return usage("--if-unavailable is required: say what to do when the store is down: fail, skip or run-unfenced")
	}
	if given("lease") && !f.renew {
		return usage("--lease goes with --renew; the lease of bounded work is its --timeout plus its --grace")
	}
	for _, d := range []struct {
		flag  string
		value duration
	}{{"timeout", f.timeout}, {"grace", f.grace}, {"lease", f.lease}, {"min-hold", f.minHold}} {
		if given(d.flag) && (d.value <= 0 || d.value > duration(driver.MaxTTL)) {
			return usage("--%s %s: want more than 0s, and at most 720h, which are 30 days", d.flag, span(time.Duration(d.value)))
		}
	}
	if f.wait < 0 || f.wait > duration(driver.MaxTTL) {
		return usage("--wait %s: want 0s, which is not to wait, to 720h, which are 30 days", span(time.Duration(f.wait)))
	}
	if given("grace") && f.renew && f.grace >= f.lease/2 {
		return usage("--grace %s: want less than half of the lease of %s, or no renewal fits before it", &f.grace, &f.lease)
	}
	if err := driver.CheckHolder(f.holder); err != nil {
		return usage("--holder: %w", err)
	}
	if err := f.retry.check(c); err != nil {
		return err
	}
	return f.onLost.check(c)
}

// checkLease refuses a lease that no store grants.
func (f runFlags) checkLease(p ringfence.Plan) error {
	if p.Lease >= open.MinLease && p.Lease <= driver.MaxTTL {
		return nil
	}
	if f.renew {
		return usage("--lease %s: want at least %s", &f.lease, open.MinLease)
	}
	return usage("--timeout %s with a grace of %s: want %s to 720h for both together, which are 30 days", &f.timeout, span(p.Grace), open.MinLease)
}
