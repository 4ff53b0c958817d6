package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/keys"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard/tableguard"
)

func (a *app) guardTrustCmd() *cobra.Command {
	var file, audience string
	var tables, exempt []string
	c := &cobra.Command{
		Use:   "trust DSN --keys FILE --audience NAME [--table TABLE]... [--exempt ROLE]...",
		Short: "Have tables of PostgreSQL demand signed fences",
		Long: `Have the database trust the keys in FILE, in place of those that it trusted before, and
each TABLE refuse a session whose fence none of them has signed for the audience NAME.
So a program can no longer make a token up.

  ringfence keys new keys.json --authority prod --algorithm hmac-sha256
  ringfence guard trust postgres://owner@db/app --keys keys.json --audience reports-db --table reports
  ringfence run reports --timeout 5m --if-unavailable fail --fence postgres \
      --sign keys.json --audience reports-db -- psql -f nightly.sql

FILE is a key file, or what ringfence keys export prints. PostgreSQL verifies HMAC-SHA256
alone. While a key is rotated FILE holds both. Without --table only the keys change.
--exempt names roles that need no signature, by the name with which they log in. The table
is also to be guarded: see ringfence guard install. The keys change first, then one table
after another, and each step is printed when it is done.

` + strings.ReplaceAll(guardExitHelp, "nothing was changed", "nothing more was changed"),
		Args: arguments(1, 1, "one DSN"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(exempt) > 0 && len(tables) == 0 {
				return usage("--exempt goes with --table: it names who needs no signature there")
			}
			set, err := keys.Load(file)
			if err != nil {
				return err
			}
			return a.guarding(c.Context(), args[0], func(ctx context.Context, t *open.Tables) error {
				return a.guardTrust(ctx, t, audience, set, tables, exempt)
			})
		},
	}
	f := c.Flags()
	f.StringVar(&file, "keys", "", "`FILE` with the keys of the authority")
	f.StringVar(&audience, "audience", "", "`NAME` by which signatures call this database")
	f.StringArrayVar(&tables, "table", nil, "`TABLE` or SCHEMA.TABLE that demands a signature; may be repeated")
	f.StringArrayVar(&exempt, "exempt", nil, "`ROLE` that needs none, and its members; may be repeated")
	required(c, "keys", "audience")
	return c
}

// guardTrust changes the keys first: a table that demands a signature before any key is
// trusted would refuse everybody.
func (a *app) guardTrust(ctx context.Context, t *open.Tables, audience string, set fence.KeySet, tables, exempt []string) error {
	if err := t.Trust(ctx, audience, set.Keys...); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s trusts %d keys for the audience %s\n", t.Label, len(set.Keys), audience)
	for _, table := range tables {
		if err := t.RequireSigned(ctx, tableguard.Signed{Table: table, Exempt: exempt}); err != nil {
			return err
		}
		fmt.Fprintf(a.out, "a write to %s needs a signed fence now\n", table)
	}
	return nil
}

func (a *app) guardUntrustCmd() *cobra.Command {
	var table string
	c := &cobra.Command{
		Use:   "untrust DSN --table TABLE",
		Short: "End a table's demand for signed fences",
		Long: `Have TABLE accept fences without a signature again. Its guard stays, and so do the keys.

` + guardExitHelp,
		Args: arguments(1, 1, "one DSN"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.guarding(c.Context(), args[0], func(ctx context.Context, t *open.Tables) error {
				if err := t.AllowUnsigned(ctx, table); err != nil {
					return err
				}
				_, err := fmt.Fprintf(a.out, "a write to %s at %s needs no signature any more\n", table, t.Label)
				return err
			})
		},
	}
	c.Flags().StringVar(&table, "table", "", "`TABLE` or SCHEMA.TABLE; case counts")
	required(c, "table")
	return c
}
