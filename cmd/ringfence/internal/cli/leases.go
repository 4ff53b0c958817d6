package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
)

const pageSize = 500

func (a *app) listCmd() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:   "ls [PREFIX]",
		Short: "List who holds what",
		Long: `List the names that are held now, in byte order; --all adds those whose last
term is over and that have not been pruned. PREFIX is compared byte for byte.`,
		Args: arguments(0, 1, "at most one PREFIX"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			prefix := ""
			if len(args) == 1 {
				prefix = args[0]
			}
			if !utf8.ValidString(prefix) {
				return usage("PREFIX %s: it is not valid UTF-8, and so begins no name", fence.Quote(prefix))
			}
			return a.list(c.Context(), prefix, all)
		},
	}
	c.Flags().BoolVarP(&all, "all", "a", false, "also list names whose last term is over")
	a.outputFlag(c)
	return c
}

func (a *app) list(ctx context.Context, prefix string, all bool) error {
	return a.at(ctx, func(ctx context.Context, s open.Store) error {
		found, err := page(ctx, s, prefix, func(r driver.Record) bool { return all || r.State == driver.Held })
		if err != nil {
			return err
		}
		return a.printList(found, s.Properties().Store)
	})
}

// page reads the store's records page by page and keeps some.
func page(ctx context.Context, s open.Store, prefix string, keep func(driver.Record) bool) ([]leaseJSON, error) {
	kept := []leaseJSON{}
	for after := ""; ; {
		records, err := asked(ctx, func(ctx context.Context) ([]driver.Record, error) {
			return s.List(ctx, prefix, after, pageSize)
		})
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			if keep(r) {
				kept = append(kept, asJSON(r))
			}
		}
		if len(records) < pageSize {
			return kept, nil
		}
		after = records[len(records)-1].Name
	}
}

func (a *app) printList(found []leaseJSON, store string) error {
	return a.print(map[string]any{"leases": found}, func(w io.Writer) error {
		if len(found) == 0 {
			a.say("no name is held at %s", store)
			return nil
		}
		rows := [][]string{{"NAME", "STATE", "TOKEN", "HOLDER", "GRANTED", "ENDS IN"}}
		for _, r := range found {
			ends := "-"
			if r.State == driver.Held {
				ends = short(r.Remaining)
			}
			rows = append(rows, []string{r.Name, string(r.State), r.Token.String(), orDash(r.Holder), stamp(r.GrantedAt), ends})
		}
		return table(w, rows)
	})
}

func (a *app) showCmd() *cobra.Command {
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Show who holds a name and who waits for it, and the store's own state",
		Args:  arguments(1, 1, "one NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			return a.show(c.Context(), args[0])
		},
	}
	a.outputFlag(c)
	return c
}

func (a *app) show(ctx context.Context, name string) error {
	if err := fence.CheckName(name); err != nil {
		return err
	}
	return a.at(ctx, func(ctx context.Context, s open.Store) error {
		r, err := asked(ctx, func(ctx context.Context) (driver.Record, error) { return s.Inspect(ctx, name) })
		if err != nil {
			return err
		}
		id, err := asked(ctx, s.Identity)
		if err != nil {
			return err
		}
		line, err := waiters(ctx, s, name)
		if err != nil {
			return err
		}
		slots, err := slotsOf(ctx, s, name)
		if err != nil {
			return err
		}
		label := s.Properties().Store
		v := map[string]any{"lease": asJSON(r), "slots": slots, "waiters": line, "store": map[string]any{"url": label, "identity": id}}
		return a.print(v, func(w io.Writer) error {
			return table(w, slices.Concat(leaseRows(r), slotRows(slots), waiterRows(line), storeRows(label, id)))
		})
	})
}

func leaseRows(r driver.Record) [][]string {
	rows := [][]string{{"name", r.Name}, {"state", string(r.State)}}
	if r.State == driver.Free {
		return rows
	}
	rows = append(rows, []string{"token", fmt.Sprintf("%s (%s)", r.Token, stamp(r.Token.Time()))},
		[]string{"holder", orDash(r.Holder)}, []string{"granted", stamp(r.GrantedAt)})
	switch r.State {
	case driver.Held:
		rows = append(rows, []string{"ends", fmt.Sprintf("%s, in %s", stamp(r.ExpiresAt), short(r.Remaining))})
	case driver.Forced:
		rows = append(rows, []string{"broken by", orDash(r.EndedBy)})
	default:
		rows = append(rows, []string{"ended", "by " + stamp(r.ExpiresAt)})
	}
	return rows
}

func slotRows(slots []leaseJSON) (rows [][]string) {
	for _, p := range slots {
		rows = append(rows, []string{"held beside", fmt.Sprintf("%s, token %s, by %s, ends in %s", p.Name, p.Token, orDash(p.Holder), short(p.Remaining))})
	}
	return rows
}

func storeRows(label string, id driver.Identity) [][]string {
	rows := [][]string{{"store", label}, {"identity", id.Current}}
	if id.Previous != "" {
		rows = append(rows, []string{"identity changed", fmt.Sprintf("%s, from %s", stamp(id.ChangedAt), id.Previous)})
	}
	if id.Floor != 0 {
		rows = append(rows, []string{"floor", fmt.Sprintf("%s; every new token is above it", id.Floor)})
	}
	return rows
}

func (a *app) breakCmd() *cobra.Command {
	var by string
	c := &cobra.Command{
		Use:   "break NAME",
		Short: "End a term by force",
		Long: `End the current term of NAME, whoever holds it. The next grant has a higher token,
and the broken holder learns at its next step that it was ended by force.

The broken work may still be running. What it writes through a guard is refused
from the moment that a newer token has reached the resource; what it writes
without one is not. End the work first where you can.`,
		Args: arguments(1, 1, "one NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			return a.breakTerm(c.Context(), args[0], by)
		},
	}
	c.Flags().StringVar(&by, "by", "", "`WHO` breaks it, for the record; USER@HOST where absent")
	a.journalFlag(c)
	a.outputFlag(c)
	return c
}

func (a *app) breakTerm(ctx context.Context, name, by string) error {
	by = person(by)
	if err := fence.CheckName(name); err != nil {
		return err
	}
	if err := driver.CheckHolder(by); err != nil {
		return err
	}
	return a.at(ctx, func(ctx context.Context, s open.Store) error {
		r, err := asked(ctx, func(ctx context.Context) (driver.Record, error) { return s.Break(ctx, name, by) })
		if err != nil {
			return err
		}
		if r.State == driver.Held {
			a.note(ctx, journal.Event{Kind: journal.Forced, Name: name, Token: r.Token, Holder: r.Holder, By: by})
		}
		return a.printBroken(r, s.Properties().Store)
	})
}

// person is who does something for the record: by, or the user of this machine.
func person(by string) string {
	if by != "" {
		return by
	}
	host, _ := os.Hostname()
	return os.Getenv("USER") + "@" + host
}

func (a *app) printBroken(was driver.Record, store string) error {
	broken := was.State == driver.Held
	return a.print(map[string]any{"broken": broken, "was": asJSON(was)}, func(w io.Writer) error {
		if !broken {
			fmt.Fprintf(w, "%s is not held at %s: nothing to break\n", fence.Quote(was.Name), store)
			return nil
		}
		fmt.Fprintf(w, "broke the term of %s: token %s, held by %s for another %s. The next token is higher.\n",
			fence.Quote(was.Name), was.Token, fence.Quote(was.Holder), short(was.Remaining))
		return nil
	})
}
