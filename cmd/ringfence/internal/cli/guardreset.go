package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

const guardResetHelp = `Move the tables of the lease NAME to a new incarnation, where their mark is too high to
be true since somebody invented a number: every honest write is refused as superseded
then. A mark is never lowered in place. The old one stays in the record, with who, why
and when, and counts no more; every write is refused until a new term has begun
(ringfence run --establish).

First find out who made the number up, and stop that. Give the last token that the store
has granted by --above, as ringfence show NAME prints it: without it a holder from
before the reset may begin a term again, if it does so before a newer one has.

` + guardExitHelp

func (a *app) guardResetCmd() *cobra.Command {
	var lease, above string
	var r guard.Reset
	c := &cobra.Command{
		Use:   "reset DSN --lease NAME --reason TEXT [--by WHO] [--above TOKEN]",
		Short: "Leave a mark behind that is too high to be true",
		Long:  guardResetHelp,
		Args:  arguments(1, 1, "one DSN"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			r.By = person(r.By)
			if above != "" {
				var err error
				if r.Above, err = fence.ParseToken(above); err != nil {
					return fmt.Errorf("--above: %w", err)
				}
			}
			return a.guarding(c.Context(), args[0], func(ctx context.Context, tables *open.Tables) error {
				return a.guardReset(ctx, tables, lease, r)
			})
		},
	}
	f := c.Flags()
	f.StringVar(&lease, "lease", "", "`NAME` of the lease whose mark it is")
	f.StringVar(&r.Reason, "reason", "", "`TEXT` that says why, for the record")
	f.StringVar(&r.By, "by", "", "`WHO` decides it, for the record; USER@HOST where absent")
	f.StringVar(&above, "above", "", "accept only terms above `TOKEN`, the last one that the store has granted")
	required(c, "lease", "reason")
	a.outputFlag(c)
	return c
}

func (a *app) guardReset(ctx context.Context, tables *open.Tables, lease string, r guard.Reset) error {
	ended, err := tables.Reset(ctx, lease, r)
	if err != nil {
		return err
	}
	return a.print(map[string]any{"ended": ended}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "ended incarnation %d of the tables of %s at %s, whose mark was %s. Every write is refused until a new term begins.\n",
			ended.Number, fence.Quote(lease), tables.Label, ended.Token)
		return err
	})
}
