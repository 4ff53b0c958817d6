package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/demo"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
)

// demoCmds are the demo and the process that it starts twice.
func (a *app) demoCmds() []*cobra.Command {
	const writer = "demo-writer"
	var destination string
	c := &cobra.Command{
		Use:   "demo",
		Short: "See a paused holder overwrite newer work, and be refused with a fence",
		Long: `Start two real processes that publish one report under a lease of 2 seconds. The
first is stopped with SIGSTOP past its lease, the second publishes, the first is
continued. Without a fence it overwrites the newer report; with one the database
refuses it. The demo takes about 12 seconds and fails if that does not happen.

Everything happens in a new SQLite file that is removed afterwards, unless --store
and --destination name databases: then a table ringfence_demo_report is made in
the destination and dropped, and the lease and guard tables stay.`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			self, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find this program, to start it as the two processes: %w", err)
			}
			a.warnOfDemo(a.storeURL, destination)
			early := catchEarly(c.Context())
			defer early.stop()
			err = demo.Run(early.ctx, demo.Config{Store: a.storeURL, Destination: destination, Self: self, Args: []string{writer}, Out: a.out})
			return early.orEnded(err, "")
		},
	}
	c.Flags().StringVar(&destination, "destination", "", "`URL` of the database that takes the report")
	hidden := &cobra.Command{
		Use:    writer,
		Hidden: true,
		Args:   arguments(0, 0, "no arguments"),
		RunE:   func(c *cobra.Command, _ []string) error { return demo.Write(c.Context(), os.Stdin, a.out) },
	}
	return []*cobra.Command{c, hidden}
}

// warnOfDemo warns of passwords among the arguments; what is wrong with a URL is
// told by the demo.
func (a *app) warnOfDemo(store, destination string) {
	for flag, raw := range map[string]string{"--store": store, "--destination": destination} {
		if t, err := open.Parse(raw); err == nil {
			a.warnOfPassword(flag, t)
		}
	}
}
