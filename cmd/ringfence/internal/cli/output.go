package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

func (a *app) outputFlag(c *cobra.Command) {
	c.Flags().StringVarP(&a.output, "output", "o", "text", "`FORMAT`: text, or json for programs")
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
}

func (a *app) checkOutput() error {
	if a.output != "text" && a.output != "json" {
		return usage("--output %s: want text or json", fence.Quote(a.output))
	}
	return nil
}

// print writes v as JSON, or calls text.
func (a *app) print(v any, text func(io.Writer) error) error {
	if a.output != "json" {
		return text(a.out)
	}
	e := json.NewEncoder(a.out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// leaseJSON is a record for programs: durations in seconds, tokens as strings.
type leaseJSON struct {
	driver.Record
	RemainingSeconds float64 `json:"remaining_seconds"`
}

func asJSON(r driver.Record) leaseJSON { return leaseJSON{r, r.Remaining.Seconds()} }

func table(w io.Writer, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	return t.Flush()
}

// short renders a duration for people: to the second, or finer when it is under ten of them.
func short(d time.Duration) string {
	if d < 10*time.Second {
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
