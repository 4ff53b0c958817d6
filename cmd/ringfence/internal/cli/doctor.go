package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/doctor"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/driver"
)

func (a *app) doctorCmd() *cobra.Command {
	var quick, readOnly bool
	var destinations []string
	c := &cobra.Command{
		Use:   "doctor [STORE]",
		Short: "Say whether a store can host leases, before anything goes wrong",
		Long: `Look at the store, take leases on a throw-away name, and print what was found, what
it means and what to do.

A store can host leases if it grants a name in one atomic step, ends a lease by its
own clock, and hands out a token that only ever rises. The doctor tries these three,
and looks for what can take them away: settings, replicas, rights, versions, clocks.

  ringfence doctor postgres://jobs@db:5432/app
  ringfence doctor --output json            for a check before a deployment

With --destination it also compares the marks there with the tokens that the store has
issued: a higher one was invented, and shuts out the real holders.

STORE is a URL; --store or ` + storeEnv + ` where absent. The leases are on names that
begin with ` + doctor.Prefix + ` and are released at the end, also after ctrl-C. It is
safe on a store in use. --read-only takes no lease and sets nothing up.

Exit status:
  0    fit
  1    fit, with warnings
  2    unfit, or it can't be reached
  64   usage: a flag or the URL is wrong; nothing was touched
  128+n  ended by signal n`,
		Args: arguments(0, 1, "at most one STORE"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			t, err := a.patient(args)
			if err != nil {
				return err
			}
			if readOnly && len(destinations) > 0 {
				return usage("--destination is compared with an open store, which --read-only does without: leave one of them out")
			}
			config := doctor.Config{Quick: quick, ReadOnly: readOnly}
			config.Destinations, err = a.markLists(destinations)
			if err != nil {
				return err
			}
			return a.doctor(c.Context(), t, config)
		},
	}
	c.Flags().BoolVar(&quick, "quick", false, "leave out the wait for a lease to expire")
	c.Flags().BoolVar(&readOnly, "read-only", false, "take no lease and change nothing: only look at settings")
	c.Flags().StringArrayVar(&destinations, "destination", nil, "`URL` of a database where the leases' fences are checked; may be repeated")
	a.outputFlag(c)
	return c
}

// markLists are the destinations of those URLs, each opened when it is asked.
func (a *app) markLists(urls []string) ([]doctor.Destination, error) {
	targets, err := a.targets("--destination", urls)
	var all []doctor.Destination
	for _, t := range targets {
		if err := t.CheckTables(); err != nil {
			return nil, fmt.Errorf("--destination: marks can be listed in databases of SQL alone: %w", err)
		}
		all = append(all, doctor.Destination{Label: t.Label, Marks: t.AllMarks})
	}
	return all, err
}

// patient is the store that the argument, or else the flag, the environment or
// the default names.
func (a *app) patient(args []string) (open.Target, error) {
	if len(args) == 0 {
		return a.target()
	}
	if a.storeURL != "" {
		return open.Target{}, usage("name the store once: as STORE or with --store")
	}
	t, err := open.Parse(args[0])
	if err != nil {
		return t, fmt.Errorf("STORE: %w", err)
	}
	a.warnOfPassword("STORE", t)
	return t, nil
}

func (a *app) doctor(ctx context.Context, t open.Target, c doctor.Config) error {
	early := catchEarly(ctx)
	defer early.stop()
	c.Label, c.Examine = t.Label, t.Examine
	c.Open = func(ctx context.Context) (driver.Store, error) { return t.Store(ctx) }
	progress := a.progress(terminalWidth(os.Stderr) > 0)
	c.Progress = progress.say
	report, err := doctor.Run(early.ctx, c)
	progress.done()
	given := "; every lease was given back"
	if len(report.Left) > 0 {
		given = "; held until its lease ends, since the store did not answer: " + strings.Join(report.Left, ", ")
	}
	if err = early.orEnded(err, given); err != nil {
		return err
	}
	for i, f := range report.Findings {
		report.Findings[i].Found, report.Findings[i].Do = readable(f.Found), readable(f.Do)
	}
	if err := a.print(report, func(w io.Writer) error { return paper().Write(w, report) }); err != nil {
		return err
	}
	switch report.Grade {
	case driver.Fit:
		return nil
	case driver.Warning:
		return &exitError{code: exitWarnings}
	}
	return &exitError{code: exitUnfit}
}

// paper is what standard output can show.
func paper() doctor.Page {
	const plainWidth = 100 // of a file or a pipe
	width := terminalWidth(os.Stdout)
	if width == 0 {
		return doctor.Page{Width: plainWidth}
	}
	return doctor.Page{Width: width, Colour: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// terminalWidth is that of the terminal behind f, or 0 where there is none.
func terminalWidth(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return max(int(size.Col), 1)
}

// progress tells what is being done: on a terminal on one line, which is gone at
// the end.
type progress struct {
	app  *app
	live bool
}

func (a *app) progress(live bool) progress { return progress{a, live} }

const eraseLine = "\r\x1b[K"

func (p progress) say(stage string) {
	if p.live {
		fmt.Fprintf(p.app.err, "%s%s ...", eraseLine, stage)
		return
	}
	p.app.say("%s", stage)
}

func (p progress) done() {
	if p.live {
		fmt.Fprint(p.app.err, eraseLine)
	}
}
