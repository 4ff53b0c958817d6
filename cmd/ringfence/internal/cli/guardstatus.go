package cli

import (
	"context"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard/tableguard"
)

func (a *app) guardStatusCmd() *cobra.Command {
	c := &cobra.Command{
		Use:   "status DSN",
		Short: "List the guarded tables",
		Long: `List the guarded tables with the lease that protects each. A guard is off when a trigger
of it was disabled or dropped, or something goes past it: then the table takes writes that
it should refuse. A warning tells the same of a table that demands signatures. Tables of
PostgreSQL are named as SQL writes them, with quotes where it needs them.

` + guardLookExitHelp,
		Args: arguments(1, 1, "one DSN"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			return a.guarding(c.Context(), args[0], a.guardStatus)
		},
	}
	a.outputFlag(c)
	return c
}

// guardedTable is a guarded table for programs.
type guardedTable struct {
	Table string          `json:"table"`
	Lease string          `json:"lease"`
	Rule  tableguard.Rule `json:"rule"`
	On    bool            `json:"on"`
}

func (a *app) guardStatus(ctx context.Context, tables *open.Tables) error {
	all, err := tables.List(ctx)
	if err != nil {
		return err
	}
	found := []guardedTable{}
	rows := [][]string{{"TABLE", "LEASE", "RULE", "GUARD"}}
	for _, s := range all {
		state := "on"
		if s.Off {
			state = "off"
			a.say("warning: the guard of %s is off: it does not refuse all that it should; install it again, which says what is in the way", s.Name)
		}
		found = append(found, guardedTable{s.Name, s.Lease, s.Rule, !s.Off})
		rows = append(rows, []string{s.Name, s.Lease, string(s.Rule), state})
	}
	signed, err := a.guardSigned(ctx, tables)
	if err != nil {
		return err
	}
	return a.print(map[string]any{"tables": found, "signed": signed}, func(w io.Writer) error {
		if len(found) == 0 {
			a.say("no table is guarded at %s", tables.Label)
			return nil
		}
		return table(w, rows)
	})
}

// signedTable is a table that demands signatures, for programs.
type signedTable struct {
	Table  string   `json:"table"`
	Exempt []string `json:"exempt,omitempty"`
	On     bool     `json:"on"`
}

// guardSigned lists the tables that demand signatures: none where the database can't.
func (a *app) guardSigned(ctx context.Context, tables *open.Tables) ([]signedTable, error) {
	found := []signedTable{}
	all, err := tables.SignedTables(ctx)
	if errors.Is(err, errors.ErrUnsupported) {
		return found, nil
	}
	for _, s := range all {
		if s.Off {
			a.say("warning: %s takes writes without the signature that it demands; demand it again by ringfence guard trust, which says what is in the way", s.Table)
		}
		found = append(found, signedTable{s.Table, s.Exempt, !s.Off})
	}
	return found, err
}

func (a *app) guardStatsCmd() *cobra.Command {
	c := &cobra.Command{
		Use:   "stats DSN",
		Short: "Count the refused writes, by day and cause",
		Long: `Count the writes that the guarded tables refused in the last 32 days, by day in UTC and
by cause. A refusal counts whatever its program did then. Only PostgreSQL keeps the
counts: elsewhere a refusal would take its own back.

  superseded       a newer holder had been there: the guard did its work
  lapsed           the term was over and nobody had taken over: the work outlives its
                   lease; give it a longer timeout, or renew
  not_established  no term had begun there; use ringfence run --establish
  out_of_sequence, conflict, future, invalid
                   a program or a session is wrong; invalid is also a write without a fence

` + guardLookExitHelp,
		Args: arguments(1, 1, "one DSN"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			return a.guarding(c.Context(), args[0], a.guardStats)
		},
	}
	a.outputFlag(c)
	return c
}

// refusedJSON is a count of refusals for programs.
type refusedJSON struct {
	Day   string      `json:"day"`
	Cause fence.Cause `json:"cause"`
	Count int64       `json:"count"`
}

func (a *app) guardStats(ctx context.Context, tables *open.Tables) error {
	all, err := tables.Refusals(ctx)
	if err != nil {
		return err
	}
	found := []refusedJSON{}
	rows := [][]string{{"DAY", "CAUSE", "REFUSED"}}
	for _, r := range all {
		day := r.Day.Format(time.DateOnly)
		found = append(found, refusedJSON{day, r.Cause, r.Count})
		rows = append(rows, []string{day, r.Cause.String(), strconv.FormatInt(r.Count, 10)})
	}
	return a.print(map[string]any{"refusals": found}, func(w io.Writer) error {
		if len(found) == 0 {
			a.say("no write was refused at %s in the last 32 days", tables.Label)
			return nil
		}
		return table(w, rows)
	})
}
