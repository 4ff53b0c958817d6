// Package cli is the ringfence command: its flags, what it prints and its exit statuses.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
)

// storeEnv names the store where --store doesn't.
const storeEnv = "RINGFENCE_STORE"

// app is what every subcommand shares.
type app struct {
	out, err   io.Writer
	storeURL   string
	journalURL string
	output     string
	parsed     bool // the command line is understood
}

// Main runs the command and returns its exit status.
func Main(args []string) int {
	a := &app{out: os.Stdout, err: diagnostics(os.Stderr)}
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(context.Background())
	if err != nil && !a.parsed {
		err = &exitError{exitUsage, err}
	}
	a.sayError(err)
	return status(err)
}

// sayError prints what ended the command, unless that is the child's own status.
func (a *app) sayError(err error) {
	e, ok := errors.AsType[*exitError](err)
	lost, isLost := errors.AsType[*ringfence.LostError](err)
	switch {
	case err == nil:
	case isLost && ok:
		brief := *lost
		brief.Err = e // without what was wrapped around it on its way
		a.say("%v", &brief)
	case !ok || isLost:
		a.say("%v", err)
	case e.err != nil:
		a.say("%v", e.err)
	}
}

// say prints one line for people, on standard error, in which no password stands.
func (a *app) say(format string, args ...any) {
	fmt.Fprintf(a.err, "ringfence: %s\n", readable(fmt.Sprintf(format, args...)))
}

// readable is a text in one line, in plain words and without passwords.
func readable(text string) string { return open.Redact(plain.Replace(text)) }

var deadline = context.DeadlineExceeded.Error()

// plain puts into words what Go's own errors say, and into one line what they
// say on several.
var plain = strings.NewReplacer(
	deadline+"\ntimeout: "+deadline, "no answer in time", // ours, and what the driver made of it
	"\n\t", " ", "\n", ": ",
	deadline, "no answer in time",
	context.Canceled.Error(), "interrupted",
)

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "ringfence",
		Short: "Run work under a fenced lease from the store you already have",
		Long: `Ringfence leases a name from a database that you already run, and hands out
with every grant a token that only ever rises. The lease keeps two runs of a job
apart; the token lets the resource refuse a run that was paused and came back late.

  ringfence demo                                   see it happen, with two processes
  ringfence plan                                   which tool, and how long a lease?
  ringfence run report --timeout 5m --if-unavailable fail -- ./make-report
  ringfence ls                                     who holds what
  ringfence doctor                                 can this store host a lease at all?
  ringfence history report                         what happened last night
  ringfence guard install                          let a database refuse stale writers by itself
  ringfence review                                 is there an unsafe lock in this code?

The store is named by --store or ` + storeEnv + `: ` + open.Forms + `.
With neither, leases are kept in an SQLite file in your own state folder, which
keeps apart the jobs of one user on one machine.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          subcommand,
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("store") && a.storeURL == "" {
				return usage("--store is empty; want %s", open.Forms)
			}
			a.parsed = true
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.PersistentFlags().StringVar(&a.storeURL, "store", "", "`URL` of the store; "+storeEnv+" where absent")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(a.runCmd(), a.waitCmd(), a.acquireCmd(), a.renewCmd(), a.releaseCmd(), a.electCmd(), a.observeCmd(), a.listCmd(), a.showCmd(), a.breakCmd(), a.recoverCmd(), a.historyCmd(), a.explainCmd(), a.suspectsCmd(), a.doctorCmd(), a.planCmd(), a.guardCmd(), a.sqlCmd(), a.publishCmd(), a.keysCmd(), a.reviewCmd(), a.versionCmd())
	root.AddCommand(a.demoCmds()...)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" { // cobra's own takes any word for a request for help
			c.Args, c.RunE = subcommand, root.RunE
		}
	}
	return root
}

// target is the store that the flag, the environment or the default names. A password
// in the flag is warned of.
func (a *app) target() (open.Target, error) {
	t, err := a.named()
	if err == nil && a.storeURL != "" {
		a.warnOfPassword("--store", t)
	}
	return t, err
}

func (a *app) named() (open.Target, error) {
	raw, fromFlag := a.storeURL, a.storeURL != ""
	if !fromFlag {
		raw = os.Getenv(storeEnv)
	}
	if raw == "" {
		return open.Default()
	}
	t, err := open.Parse(raw)
	if err != nil {
		from := storeEnv
		if fromFlag {
			from = "--store"
		}
		return t, fmt.Errorf("%s: %w", from, err)
	}
	return t, nil
}

func (a *app) warnOfPassword(flag string, t open.Target) {
	if !t.HasPassword {
		return
	}
	var instead []string
	if flag == "--store" || flag == "STORE" {
		instead = append(instead, "put the URL into "+storeEnv)
	}
	switch t.Kind {
	case open.Postgres:
		instead = append(instead, "put the password into a file named by PGPASSFILE")
	case open.MySQL:
		instead = append(instead, "put the password into MYSQL_PWD")
	}
	if instead == nil {
		instead = []string{"run this where nobody else is"}
	}
	a.say("warning: every user of this machine can read the password in %s in its process list; %s", flag, strings.Join(instead, ", or "))
}

func (a *app) warnOfPasswords(flag string, all []open.Target) {
	for _, t := range all {
		a.warnOfPassword(flag, t)
	}
}

// answerTimeout bounds one question of a short command to the store.
const answerTimeout = 10 * time.Second

// asked puts one question to the store.
func asked[R any](ctx context.Context, question func(context.Context) (R, error)) (R, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	return question(ctx)
}

// at does a short command at the named store; a signal ends it.
func (a *app) at(ctx context.Context, do func(context.Context, open.Store) error) error {
	t, err := a.target()
	if err != nil {
		return err
	}
	early := catchEarly(ctx)
	defer early.stop()
	s, err := asked(early.ctx, t.Store)
	if err != nil {
		err = fmt.Errorf("%s: %w", t.Label, err)
	} else {
		defer closeSoon(s)
		err = do(early.ctx, s)
	}
	return early.orEnded(err, "")
}

// closeSoon closes s, and leaves that to the end of this process where it takes
// long: a server that does not answer has its goodbye waited for.
func closeSoon(s io.Closer) {
	closed := make(chan struct{})
	go func() { _ = s.Close(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(time.Second):
	}
}
