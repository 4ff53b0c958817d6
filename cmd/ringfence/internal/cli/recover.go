package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/fence"
)

func (a *app) recoverCmd() *cobra.Command {
	var above string
	var force bool
	c := &cobra.Command{
		Use:   "recover [--above TOKEN [--force]]",
		Short: "Raise the store's floor by hand, and accept its present identity",
		Long: `Make the store grant only tokens above TOKEN: the highest mark of any resource
that you know of, say. The floor never falls. Without --above it stays as it is.

A TOKEN more than a day ahead of this machine's clock is refused, unless --force is
given: guards refuse the tokens above it as invented, until their clocks come near.
The highest token there is is always refused: nothing could be granted above it.

This also accepts the identity that the store has now, for a store that refuses
to go on under a new one by itself. It is rarely needed: the store's clock lends
every token a floor that no restore and no fail-over takes away. It is for a store
that lost grants made while its clock ran ahead.`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			var token fence.Token
			if c.Flags().Changed("above") {
				var err error
				if token, err = fence.ParseToken(above); err != nil {
					return fmt.Errorf("--above: %w", err)
				}
				if err := checkAbove(token, time.Now(), force); err != nil {
					return err
				}
			}
			return a.recover(c.Context(), token)
		},
	}
	c.Flags().StringVar(&above, "above", "", "grant only tokens above `TOKEN`")
	c.Flags().BoolVar(&force, "force", false, "accept a TOKEN more than a day ahead of the clock")
	a.outputFlag(c)
	return c
}

// checkAbove refuses a floor that cannot be taken back: one whose tokens no guard
// accepts, or that leaves no token at all.
func checkAbove(token fence.Token, now time.Time, force bool) error {
	switch {
	case token == fence.MaxToken:
		return usage("--above %s is the highest token there is: nothing could be granted above it, ever; give the highest mark that you know of", token)
	case token > fence.FutureLimit(fence.TickOf(now)) && !force:
		return usage("--above %s belongs to %s, more than a day ahead of this clock: guards would refuse every new token until shortly before then, and a floor never falls; check the number and the clock, or add --force",
			token, token.Time().Format(time.RFC3339))
	}
	return nil
}

func (a *app) recover(ctx context.Context, above fence.Token) error {
	return a.at(ctx, func(ctx context.Context, s open.Store) error {
		floor, err := asked(ctx, func(ctx context.Context) (fence.Token, error) { return s.Raise(ctx, above) })
		if err != nil {
			return err
		}
		id, err := asked(ctx, s.Identity)
		if err != nil {
			return err
		}
		label := s.Properties().Store
		return a.print(map[string]any{"store": label, "identity": id}, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "%s grants only tokens above %s, and accepts its identity %s\n", label, floor, id.Current)
			return err
		})
	})
}
