package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/plan"
	"github.com/ringfence-go/ringfence/fence"
)

// planFlags are the flags of plan as they were typed.
type planFlags struct {
	goal, destination      string
	timeout, notice, abort duration
}

const goalHelp = `Goals:
  once      one result at a time, which nothing older may overwrite: a report, a build
  sequence  several writes, each of which counts once, in order: postings, increments
  leader    work without an end, of which one machine of many does it: a scheduler
  cas       a value is read and changed; who has read an old one may not write`

func (a *app) planCmd() *cobra.Command {
	var f planFlags
	c := &cobra.Command{
		Use:   "plan [NAME] --goal GOAL --destination WHERE [--timeout D] [flags]",
		Short: "Choose the tool for a piece of work, and the length of its lease",
		Long: `Say what has to hold and how long the work takes; get the tool, the lease, the command
and the Go code to begin with. On a terminal it asks for what is missing.

  ringfence plan
  ringfence plan report --goal once --destination postgres --timeout 5m --notice 5s --abort 10s

` + goalHelp + `

Destinations: ` + strings.Join(plan.Destinations(), ", ") + `

The lease of bounded work lasts as long as the work can: the timeout, the time that the
work needs to notice that it is over, and the time to abort. Of a leader, whose lease is
renewed, --timeout is the limit on one step of its work, if there is one. With the goal
cas there is no lease, and the three durations play no part.

No store is asked, and nothing is changed.`,
		Args: arguments(0, 1, "at most one NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			return a.plan(c, f, args)
		},
	}
	f.notice, f.abort = duration(plan.DefaultNotice), duration(plan.DefaultAbort)
	fl := c.Flags()
	fl.StringVar(&f.goal, "goal", "", "`GOAL`: "+strings.Join(plan.Goals(), ", ")+"; required")
	fl.StringVar(&f.destination, "destination", "", "`WHERE` the work writes; required")
	fl.Var(&f.timeout, "timeout", "limit on the work, which is enforced; of a leader on one step; required for once and sequence")
	fl.Var(&f.notice, "notice", "time until the work sees that it is to end")
	fl.Var(&f.abort, "abort", "time that it then takes to end")
	a.outputFlag(c)
	complete := func(flag string, words []string) {
		_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
	complete("goal", plan.Goals())
	complete("destination", plan.Destinations())
	return c
}

func (a *app) plan(c *cobra.Command, f planFlags, args []string) error {
	name := "report"
	if len(args) > 0 {
		name = args[0]
	}
	if err := f.complete(c, a.err); err != nil {
		return err
	}
	answer, err := plan.Of(plan.Question{
		Name: name, Goal: plan.Goal(f.goal), Destination: f.destination,
		Timeout: time.Duration(f.timeout), Notice: time.Duration(f.notice), Abort: time.Duration(f.abort),
	})
	if err != nil {
		return err
	}
	return a.print(answer, func(w io.Writer) error { return answer.Write(w, canvas()) })
}

// item is one thing that plan has to know.
type item struct {
	flag, question string
	wanted         bool // without it there is no answer
	set            func(answer string) error
}

// items are those of the goal, which is known when the first has been answered.
func (f *planFlags) items() []item {
	timeout, bounded := "after how long is the work ended?", f.goal != string(plan.Leader)
	if !bounded {
		timeout = "after how long is one step of it ended? [steps have no limit]"
	}
	all := []item{
		{"goal", "what has to hold?", true, func(s string) (err error) {
			_, err = plan.ParseGoal(s)
			f.goal = s
			return err
		}},
		{"destination", "where does the work write, " + strings.Join(plan.Destinations(), ", ") + "?", true, func(s string) (err error) {
			f.destination, err = plan.ParseDestination(s)
			return err
		}},
		{"timeout", timeout, bounded, f.timeout.Set},
		{"notice", "how long until it sees that it is to end? [" + f.notice.String() + "]", false, f.notice.Set},
		{"abort", "how long does it then take to end? [" + f.abort.String() + "]", false, f.abort.Set},
	}
	if f.goal == string(plan.CAS) {
		return all[:2]
	}
	return all
}

// complete has every flag checked that was given. What is missing is asked for on a
// terminal; elsewhere all of it is told at once.
func (f *planFlags) complete(c *cobra.Command, out io.Writer) error {
	given := c.Flags().Changed
	if given("goal") { // what else is missing depends on it
		if _, err := plan.ParseGoal(f.goal); err != nil {
			return err
		}
	}
	if given("destination") {
		if _, err := plan.ParseDestination(f.destination); err != nil {
			return err
		}
	}
	var missing []string
	for _, it := range f.items() {
		if it.wanted && !given(it.flag) {
			missing = append(missing, "--"+it.flag)
		}
	}
	if missing == nil {
		return nil
	}
	if terminalWidth(os.Stdin) == 0 {
		return usage("plan needs %s, and there is no terminal to ask on; see %s --help", strings.Join(missing, ", "), c.CommandPath())
	}
	if !given("goal") {
		fmt.Fprintln(out, goalHelp)
	}
	in := bufio.NewReader(os.Stdin)
	for i := 0; i < len(f.items()); i++ {
		if it := f.items()[i]; !given(it.flag) {
			if err := it.ask(in, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// ask puts the question until there is an answer to it.
func (it item) ask(in *bufio.Reader, out io.Writer) error {
	for {
		fmt.Fprintf(out, "--%s: %s ", it.flag, it.question)
		line, err := in.ReadString('\n')
		answer := strings.TrimSpace(line)
		switch {
		case err != nil && answer == "":
			fmt.Fprintln(out)
			return usage("plan was not told --%s: the input has ended", it.flag)
		case answer == "" && !it.wanted:
			return nil
		case answer == "":
			continue
		}
		err = it.set(answer)
		if err == nil {
			return nil
		}
		fmt.Fprintf(out, "  %v\n", fault(err, answer))
	}
}

// fault is what is wrong with an answer.
func fault(err error, answer string) error {
	if errors.Is(err, fence.ErrInvalid) {
		return err
	}
	return fmt.Errorf("%s: %w", fence.Quote(answer), err)
}
