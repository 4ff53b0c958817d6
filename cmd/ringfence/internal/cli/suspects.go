package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/timeline"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
	"github.com/ringfence-go/ringfence/journal/history"
)

func (a *app) suspectsCmd() *cobra.Command {
	c := &cobra.Command{
		Use:   "suspects",
		Short: "List work whose lease ended before it said that it was done",
		Long: `Work is suspect when its lease ended before it said that it was done: for a while it may
have run beside its successor. It is never run again by itself. Somebody looks at what it
wrote, and says so:

  ringfence suspects list
  ringfence suspects show nightly-rollup
  ringfence suspects resolve nightly-rollup --how 'rolled back by hand, ran again as 378542937129003'

A term is also suspect when the record stops without an end of its work and the name was
granted again: its holder was killed, or its machine went down.

` + journalHelp,
		Args: subcommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.suspectsListCmd(), a.suspectsShowCmd(), a.suspectsResolveCmd())
	return c
}

func (a *app) suspectsListCmd() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List what is suspect, by time",
		Args:  arguments(0, 0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			return a.listSuspects(c.Context(), all)
		},
	}
	c.Flags().BoolVarP(&all, "all", "a", false, "also list those that are resolved")
	a.journalFlag(c)
	a.outputFlag(c)
	return c
}

func (a *app) listSuspects(ctx context.Context, all bool) error {
	return a.onJournal(ctx, func(ctx context.Context, j *open.Journal) error {
		events, err := a.readJournal(ctx, j, journal.Query{}, never)
		if err != nil {
			return err
		}
		found := history.Suspects(events, all)
		return a.print(map[string]any{"suspects": slices.Concat([]history.Term{}, found)}, func(w io.Writer) error {
			if len(found) == 0 {
				a.say("nothing is suspect in the journal at %s", j.Label)
				return nil
			}
			rows := [][]string{{"NAME", "TOKEN", "HOLDER", "SUSPECT SINCE (UTC)", "STATE", "WHY"}}
			for _, t := range found {
				state := "open"
				if !t.Suspect.Open() {
					state = "resolved"
				}
				why, _, _ := strings.Cut(t.Suspect.Why, ";")
				rows = append(rows, []string{t.Name, t.Token.String(), orDash(t.Holder), timeline.Stamp(t.Suspect.At), state, why})
			}
			return table(w, rows)
		})
	})
}

func (a *app) suspectsShowCmd() *cobra.Command {
	c := &cobra.Command{
		Use:   "show NAME [TOKEN]",
		Short: "Show a suspect: its window, what was in flight, how it was resolved",
		Long:  "Show the suspect of NAME with TOKEN; without TOKEN, all suspects of NAME.",
		Args:  arguments(1, 2, "one NAME, and a TOKEN or not"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			token, err := suspectArgs(args)
			if err != nil {
				return err
			}
			return a.showSuspects(c.Context(), args[0], token)
		},
	}
	a.journalFlag(c)
	a.outputFlag(c)
	return c
}

// suspectArgs checks NAME and reads TOKEN, 0 where it is not given.
func suspectArgs(args []string) (fence.Token, error) {
	if err := fence.CheckName(args[0]); err != nil {
		return 0, err
	}
	if len(args) == 1 {
		return 0, nil
	}
	return fence.ParseToken(args[1])
}

func (a *app) showSuspects(ctx context.Context, name string, token fence.Token) error {
	return a.onJournal(ctx, func(ctx context.Context, j *open.Journal) error {
		found, err := a.findSuspects(ctx, j, name, token)
		if err != nil {
			return err
		}
		return a.print(map[string]any{"suspects": found}, func(w io.Writer) error {
			for i, t := range found {
				if i > 0 {
					fmt.Fprintln(w)
				}
				if err := table(w, suspectRows(t)); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// findSuspects are those of a name, resolved or not; all of them where token is 0.
func (a *app) findSuspects(ctx context.Context, j *open.Journal, name string, token fence.Token) ([]history.Term, error) {
	events, err := a.readJournal(ctx, j, journal.Query{Name: name}, never)
	if err != nil {
		return nil, err
	}
	var found []history.Term
	for _, t := range history.Of(name, events).Terms {
		if t.Suspect != nil && (token == 0 || t.Token == token) {
			found = append(found, t)
		}
	}
	if len(found) == 0 {
		what := fence.Quote(name)
		if token != 0 {
			what += " with token " + token.String()
		}
		return nil, usage("%s is no suspect in the journal at %s; ringfence suspects list --all lists them", what, j.Label)
	}
	return found, nil
}

func suspectRows(t history.Term) [][]string {
	rows := [][]string{{"name", t.Name}, {"token", t.Token.String()}, {"holder", orDash(t.Holder)}, {"command", orDash(t.Work)}, {"suspect", t.Suspect.Why}}
	add := func(what, text string) { rows = append(rows, []string{what, text}) }
	if !t.Granted.IsZero() {
		add("granted", timeline.Stamp(t.Granted)+" UTC")
	}
	if end := t.LeaseEnd(); !end.IsZero() {
		add("lease over", timeline.Stamp(end)+" UTC")
	}
	switch end := t.WorkEnd(); {
	case end.IsZero():
		add("work over", "nobody said so")
	default:
		add("work over", fmt.Sprintf("%s UTC, %s after its lease; %s", timeline.Stamp(end), timeline.Span(end.Sub(t.LeaseEnd())), orDash(t.Status)))
	}
	if !t.Next.IsZero() {
		add("next granted", timeline.Stamp(t.Next)+" UTC")
	}
	for _, e := range t.Refused {
		add("refused", fmt.Sprintf("%s UTC, %s: %s", timeline.Stamp(e.At), orDash(e.Resource), e.Cause))
	}
	if r := t.Suspect.Resolved; r != nil {
		add("resolved", fmt.Sprintf("%s UTC by %s: %s", timeline.Stamp(r.At), r.By, r.Detail))
	} else {
		add("resolved", "not yet")
	}
	return rows
}

func (a *app) suspectsResolveCmd() *cobra.Command {
	var by, how string
	c := &cobra.Command{
		Use:   "resolve NAME [TOKEN] --how TEXT",
		Short: "Record that somebody looked into a suspect, and what was done",
		Long: `Record who looked into the suspect of NAME, and what was done. TOKEN is needed where
more than one of NAME is open. The record is added to; nothing in it is changed.`,
		Args: arguments(1, 2, "one NAME, and a TOKEN or not"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			token, err := suspectArgs(args)
			if err != nil {
				return err
			}
			e := journal.Event{Kind: journal.Resolved, Name: args[0], Token: token, By: person(by), Detail: how}
			if strings.TrimSpace(how) == "" {
				return usage("--how is required: say what was found and done, for whoever reads it later")
			}
			if err := driver.CheckHolder(e.By); err != nil {
				return usage("--by: %w", err)
			}
			if len(how) > journal.MaxDetailBytes {
				return usage("--how has %d bytes; the most is %d: say where more of it is written", len(how), journal.MaxDetailBytes)
			}
			return a.resolveSuspect(c.Context(), e)
		},
	}
	c.Flags().StringVar(&by, "by", "", "`WHO` looked into it; USER@HOST where absent")
	c.Flags().StringVar(&how, "how", "", "what was found and done, as `TEXT`; required")
	a.journalFlag(c)
	a.outputFlag(c)
	return c
}

func (a *app) resolveSuspect(ctx context.Context, e journal.Event) error {
	return a.onJournal(ctx, func(ctx context.Context, j *open.Journal) error {
		found, err := a.findSuspects(ctx, j, e.Name, e.Token)
		if err != nil {
			return err
		}
		t, err := oneOpen(found)
		if err != nil {
			return err
		}
		e.Token, e.Holder = t.Token, t.Holder
		if _, err = asked(ctx, func(ctx context.Context) (struct{}, error) { return struct{}{}, write(ctx, j, e) }); err != nil {
			return err
		}
		return a.print(map[string]any{"resolved": e}, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "resolved: %s with token %s, by %s\n", fence.Quote(e.Name), e.Token, e.By)
			return err
		})
	})
}

// oneOpen is the one suspect that can be meant.
func oneOpen(found []history.Term) (history.Term, error) {
	var open []history.Term
	for _, t := range found {
		if t.Suspect.Open() {
			open = append(open, t)
		}
	}
	switch len(open) {
	case 0:
		last := found[len(found)-1]
		r := last.Suspect.Resolved
		return last, usage("%s with token %s was resolved at %s UTC by %s: %s", fence.Quote(last.Name), last.Token, timeline.Stamp(r.At), r.By, r.Detail)
	case 1:
		return open[0], nil
	}
	var tokens []string
	for _, t := range open {
		tokens = append(tokens, t.Token.String())
	}
	return open[0], usage("%d suspects of %s are open: name one by its TOKEN: %s", len(open), fence.Quote(open[0].Name), strings.Join(tokens, ", "))
}
