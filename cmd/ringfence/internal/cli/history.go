package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/timeline"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
	"github.com/ringfence-go/ringfence/journal/history"
)

// historyFlags are what history is told.
type historyFlags struct {
	since, until moment
	limit        int
	events       bool
	svg          string
}

func (a *app) historyCmd() *cobra.Command {
	var f historyFlags
	c := &cobra.Command{
		Use:   "history NAME",
		Short: "Draw who held a name when, and what was refused",
		Long: `Draw the terms of NAME, one a line: who held it when, with the tokens, the times in
which two overlapped, the writes that a guard refused, and what is suspect.

  ringfence history nightly-rollup
  ringfence history nightly-rollup --since 24h --svg rollup.svg
  ringfence history nightly-rollup --events          every event on a line
  ringfence history nightly-rollup --output json     {"events":[{"kind":"granted",...}]}

` + journalHelp,
		Args: arguments(1, 1, "one NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			if err := fence.CheckName(args[0]); err != nil {
				return err
			}
			if f.limit < 0 {
				return usage("--limit %d: want 0, which is all, or more", f.limit)
			}
			if c.Flags().Changed("since") && !c.Flags().Changed("limit") {
				f.limit = 0
			}
			return a.history(c.Context(), args[0], f)
		},
	}
	fl := c.Flags()
	fl.Var(&f.since, "since", "only terms that lasted until then or began later")
	fl.Var(&f.until, "until", "only terms that began before then")
	fl.IntVar(&f.limit, "limit", 20, "the last `N` terms; 0 is all, and the default with --since")
	fl.BoolVar(&f.events, "events", false, "write every event on a line instead of the drawing")
	fl.StringVar(&f.svg, "svg", "", "draw it into `FILE` as a picture")
	a.journalFlag(c)
	a.outputFlag(c)
	return c
}

func (a *app) history(ctx context.Context, name string, f historyFlags) error {
	return a.onJournal(ctx, func(ctx context.Context, j *open.Journal) error {
		enough := never
		if f.limit > 0 && f.since.at.IsZero() && f.until.at.IsZero() {
			enough = terms(f.limit)
		}
		events, err := a.readJournal(ctx, j, journal.Query{Name: name}, enough)
		if err != nil {
			return err
		}
		h, more := history.Of(name, events).Part(f.since.at, f.until.at, f.limit)
		title := timeline.Title{Journal: j.Label, Clock: j.Clock(), More: more}
		if f.svg != "" {
			return a.drawPicture(f.svg, h, title)
		}
		return a.print(map[string]any{"name": name, "clock": j.Clock(), "events": orEmpty(h.Events)}, func(w io.Writer) error {
			if !f.events {
				return canvas().Write(w, h, title)
			}
			for _, e := range h.Events {
				fmt.Fprintln(w, timeline.Line(e))
			}
			return nil
		})
	})
}

// terms is enough once the events of n terms, and the beginning of one more, are read.
func terms(n int) func(journal.Event) bool {
	begun := map[fence.Token]bool{}
	return func(e journal.Event) bool {
		full := len(begun) > n
		if e.Kind == journal.Granted {
			begun[e.Token] = true
		}
		return full
	}
}

func orEmpty(events []journal.Event) []journal.Event {
	if events == nil {
		return []journal.Event{}
	}
	return events
}

// canvas is what standard output can show.
func canvas() timeline.Page {
	p := paper()
	return timeline.Page{Width: min(p.Width, widestTimeline), Colour: p.Colour}
}

const widestTimeline = 180

func (a *app) drawPicture(path string, h history.History, title timeline.Title) error {
	file, err := os.Create(path)
	if err != nil {
		return usage("--svg: %w", err)
	}
	if err = timeline.SVG(file, h, title); err == nil {
		err = file.Close()
	} else {
		_ = file.Close()
	}
	if err != nil {
		return fmt.Errorf("--svg: %w", err)
	}
	fmt.Fprintf(a.out, "drew %d terms of %s into %s\n", len(h.Terms), fence.Quote(h.Name), path)
	return nil
}

func (a *app) explainCmd() *cobra.Command {
	at := moment{at: time.Now()}
	c := &cobra.Command{
		Use:   "explain NAME --at TIME",
		Short: "Say in sentences what the record shows of a moment",
		Long: `Say what the record shows of NAME at a moment: who was at work with which token,
whether two runs overlapped, whether anything was refused, and what to change so that it
doesn't happen again.

  ringfence explain nightly-rollup --at '2026-11-29 02:07'
  ringfence explain nightly-rollup --at 90m          an hour and a half ago

` + journalHelp,
		Args: arguments(1, 1, "one NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			if err := fence.CheckName(args[0]); err != nil {
				return err
			}
			if !c.Flags().Changed("at") {
				return usage("--at is required: the moment that is to be explained, in UTC, or how long ago it was")
			}
			return a.explain(c.Context(), args[0], at.at)
		},
	}
	c.Flags().Var(&at, "at", "the moment, in UTC, or how long ago it was; required")
	a.journalFlag(c)
	a.outputFlag(c)
	return c
}

func (a *app) explain(ctx context.Context, name string, at time.Time) error {
	return a.onJournal(ctx, func(ctx context.Context, j *open.Journal) error {
		events, err := a.readJournal(ctx, j, journal.Query{Name: name}, never)
		if err != nil {
			return err
		}
		account := history.Of(name, events).Explain(at)
		return a.print(account, func(w io.Writer) error {
			p := canvas()
			for _, said := range account.Says {
				p.Paragraph(w, "", said)
			}
			if len(account.Change) > 0 {
				fmt.Fprintf(w, "\nWhat to change\n")
			}
			for _, change := range account.Change {
				p.Paragraph(w, "- ", change)
			}
			return nil
		})
	})
}
