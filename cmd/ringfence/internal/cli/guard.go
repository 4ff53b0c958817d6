package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard/tableguard"
)

func (a *app) guardCmd() *cobra.Command {
	c := &cobra.Command{
		Use:   "guard",
		Short: "Make a database refuse stale writers by itself",
		Long: `Put the guard into the database: triggers refuse a write to a table unless its session
carries a fence that may make it, whoever sends it. It is for tables that programs
write to which nobody will change.

  ringfence guard install postgres://owner@db/app --table reports --lease reports
  ringfence run reports --timeout 5m --if-unavailable fail --fence postgres \
      --establish postgres://jobs@db/app -- psql -f nightly.sql

DSN is the URL of a PostgreSQL, a MySQL or MariaDB, or a file of SQLite, as for --store.`,
		Args: subcommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.guardInstallCmd(), a.guardStatusCmd(), a.guardStatsCmd(), a.guardRemoveCmd(), a.guardResetCmd(), a.guardTrustCmd(), a.guardUntrustCmd())
	return c
}

const guardExitHelp = `Exit status:
  0    done
  64   usage: a flag, the URL, the table or the lease is wrong; nothing was changed
  69   the database can't be reached, or this role may not do it; nothing was changed,
       unless the answer to a commit was lost, or MySQL had carried out a part, since
       it commits each step: look with ringfence guard status
  128+n  ended by signal n; the same holds`

// guardLookExitHelp is that of a command which changes nothing.
const guardLookExitHelp = `Exit status:
  0    done
  64   usage: a flag or the URL is wrong
  69   the database can't be reached, or this role may not do it
  128+n  ended by signal n`

func (a *app) guardInstallCmd() *cobra.Command {
	var t tableguard.Table
	var rule string
	var dryRun bool
	c := &cobra.Command{
		Use:   "install DSN --table TABLE --lease NAME|PATTERN [--rule RULE] [--dry-run]",
		Short: "Guard a table",
		Long: `Guard TABLE, in place of what guarded it before. From then on a write to it needs a
fence of the lease NAME, as ringfence run gives it to its command.

Where each row belongs to a lease of its own, name it by a PATTERN over columns: with
report/{id} the row whose id is 7 belongs to the lease report/7. A brace that is meant
is written twice.

  latest     every write whose token is not below the highest that was seen (default)
  once       the first transaction of each term that writes
  sequenced  the transactions of a term in the order of their numbers, each once
  owned      the term that is the present one in the lease table of this very database

It takes the rights of the table's owner. --dry-run looks at the table, and prints the
statements instead of executing them.

` + guardExitHelp,
		Args: arguments(1, 1, "one DSN"),
		RunE: func(c *cobra.Command, args []string) error {
			t.Rule = tableguard.Rule(rule)
			if err := t.Check(); err != nil {
				return err
			}
			return a.guardInstall(c.Context(), args[0], t, dryRun)
		},
	}
	f := c.Flags()
	f.StringVar(&t.Name, "table", "", "`TABLE` or SCHEMA.TABLE; case counts")
	f.StringVar(&t.Lease, "lease", "", "`NAME` of the lease that protects it, or a pattern over columns")
	f.StringVar(&rule, "rule", string(tableguard.Latest), "`RULE`: latest, once, sequenced or owned")
	f.BoolVar(&dryRun, "dry-run", false, "print the statements and change nothing")
	required(c, "table", "lease")
	var rules []string
	for _, r := range tableguard.Rules() {
		rules = append(rules, string(r))
	}
	_ = c.RegisterFlagCompletionFunc("rule", cobra.FixedCompletions(rules, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (a *app) guardInstall(ctx context.Context, dsn string, t tableguard.Table, dryRun bool) error {
	return a.guarding(ctx, dsn, func(ctx context.Context, tables *open.Tables) error {
		if dryRun {
			script, err := tables.Script(ctx, t)
			if err == nil {
				_, err = fmt.Fprint(a.out, script)
			}
			return err
		}
		if err := tables.Install(ctx, t); err != nil {
			return err
		}
		_, err := fmt.Fprintf(a.out, "a write to %s at %s needs a fence of the lease %s now, by the rule %s\n", t.Name, tables.Label, fence.Quote(t.Lease), t.Rule)
		return err
	})
}

func (a *app) guardRemoveCmd() *cobra.Command {
	var table string
	c := &cobra.Command{
		Use:   "remove DSN --table TABLE",
		Short: "Take the guard away from a table",
		Long: `Take the guard away from TABLE: every write to it is accepted again. Marks and counts
stay, so that a guard which is installed again goes on where this one ends.

` + guardExitHelp,
		Args: arguments(1, 1, "one DSN"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.guarding(c.Context(), args[0], func(ctx context.Context, tables *open.Tables) error {
				if err := tables.Remove(ctx, table); err != nil {
					return err
				}
				_, err := fmt.Fprintf(a.out, "nothing guards %s at %s any more\n", table, tables.Label)
				return err
			})
		},
	}
	c.Flags().StringVar(&table, "table", "", "`TABLE` or SCHEMA.TABLE; case counts")
	required(c, "table")
	return c
}

// guarding does a short command at the database that dsn names; a signal ends it.
func (a *app) guarding(ctx context.Context, dsn string, do func(context.Context, *open.Tables) error) error {
	t, err := open.Parse(dsn)
	if err != nil {
		return fmt.Errorf("DSN: %w", err)
	}
	if err := t.CheckTables(); err != nil {
		return err
	}
	a.warnOfPassword("DSN", t)
	tables, err := t.Tables()
	if err != nil {
		return atTables(t.Label, err)
	}
	defer closeSoon(tables)
	early := catchEarly(ctx)
	defer early.stop()
	ctx, cancel := context.WithTimeout(early.ctx, answerTimeout)
	defer cancel()
	return early.orEnded(atTables(t.Label, do(ctx, tables)), "")
}

// atTables says where a step failed, and what to do about a missing right.
func atTables(label string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fence.ErrRefused):
		return fmt.Errorf("%s: %w", label, err)
	case errors.Is(err, fence.ErrInvalid), errors.Is(err, errors.ErrUnsupported):
		return usage("%s: %w", label, err)
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("%w; a transaction may hold the table, so try again when it has ended", err)
	case open.Denied(err):
		err = fmt.Errorf("%w; use a role that has the right, as docs/guards/tables.md names it", err)
	}
	return &exitError{exitUnavailable, fmt.Errorf("%s: %w", label, err)}
}

// required refuses a command line without these flags, in our own words.
func required(c *cobra.Command, flags ...string) {
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		for _, name := range flags {
			if !c.Flags().Changed(name) {
				return usage("%s needs --%s; see %s --help", c.Name(), name, c.CommandPath())
			}
		}
		return run(c, args)
	}
}
