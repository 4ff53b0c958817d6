package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/open"
	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/script"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// sqlFlags are those of sql as they were typed.
type sqlFlags struct {
	writeFlags
	command, file, resource string
}

func (a *app) sqlCmd() *cobra.Command {
	var f sqlFlags
	c := &cobra.Command{
		Use:   "sql DSN (-c SQL | -f FILE) [flags]",
		Short: "Run SQL in one transaction that a newer holder of the lease refuses",
		Long: `Run statements in one transaction together with the guard's decision: establish or
admit, then the statements, then the commit. All of it is applied, or nothing.

  ringfence run rollup --timeout 5m --if-unavailable fail -- \
      ringfence sql postgres://jobs@db/app -f rollup.sql

DSN is the URL of a PostgreSQL, a MySQL or MariaDB, or a file of SQLite, as for --store.
Two small tables that hold the marks are made there where they are missing. Guarded
tables (ringfence guard install) get the same fence, and refuse by themselves; begin
the term there by ringfence run --establish DSN.

` + writeHelp + `

The database takes the text apart itself, so strings, comments, dollar quotes and
triggers are what they are elsewhere. DELIMITER, \copy and other words of a client are
unknown to it. COMMIT, ROLLBACK and statements that commit by themselves, as CREATE
TABLE does in MySQL, have no place in it: that is noticed, SQLite then applies nothing,
and elsewhere the outcome is unknown. Tables of MySQL that know no transactions, as in
MyISAM, keep what a script did before it failed.

Rows of SELECTs are printed after the commit, with tabs between the columns, \N for
NULL, and \t, \n and \\ as COPY writes them; -o json has the names of the columns too.

` + writeExitHelp,
		Args: arguments(1, 1, "one DSN"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.checkOutput(); err != nil {
				return err
			}
			t, w, err := f.work(a, c, args[0])
			if err != nil {
				return err
			}
			return a.sql(c.Context(), t, w)
		},
	}
	fl := c.Flags()
	fl.StringVarP(&f.command, "command", "c", "", "run this `SQL`")
	fl.StringVarP(&f.file, "file", "f", "", "run the SQL in `FILE`; - is the standard input")
	fl.StringVar(&f.resource, "resource", "", "`NAME` of what is written to, which has the mark; that of the lease where absent")
	f.add(c)
	a.journalFlag(c)
	a.outputFlag(c)
	return c
}

// work checks everything that can be checked before the database is touched.
func (f sqlFlags) work(a *app, c *cobra.Command, dsn string) (open.Target, script.Work, error) {
	t, err := open.Parse(dsn)
	if err != nil {
		return t, script.Work{}, fmt.Errorf("DSN: %w", err)
	}
	w := script.Work{Resource: f.resource, Establish: !f.noEstablish, Signature: os.Getenv(signatureEnv)}
	if w.Rule, w.Write, err = f.check(); err != nil {
		return t, w, err
	}
	if w.Resource == "" {
		w.Resource = w.Write.Fence.Name
	}
	if err := guard.CheckResource(w.Resource); err != nil {
		return t, w, fmt.Errorf("--resource: %w", err)
	}
	if w.Text, err = f.text(c); err != nil {
		return t, w, err
	}
	if w.Write.Key == "" {
		w.Write.Key = keyOf([]byte(w.Text))
	}
	a.warnOfPassword("DSN", t)
	return t, w, nil
}

// maxScript is the longest script, which is held in memory and sent as a whole.
const maxScript = 16 << 20

// text is what is to be run.
func (f sqlFlags) text(c *cobra.Command) (string, error) {
	command, file := c.Flags().Changed("command"), c.Flags().Changed("file")
	if command == file {
		return "", usage("give the statements by -c SQL, or by -f FILE, and not by both")
	}
	text := f.command
	if file {
		from := os.Stdin
		if f.file != "-" {
			opened, err := os.Open(f.file)
			if err != nil {
				return "", usage("-f: %w", err)
			}
			defer opened.Close()
			from = opened
		}
		content, err := io.ReadAll(io.LimitReader(from, maxScript+1))
		if err != nil {
			return "", usage("-f: %w", err)
		}
		text = string(content)
	}
	switch {
	case len(text) > maxScript:
		return "", usage("the script is larger than %d MiB; load bulk data by the database's own means, and switch to it by a script", maxScript>>20)
	case strings.TrimSpace(text) == "":
		return "", usage("the script is empty")
	case strings.ContainsRune(text, 0):
		return "", usage("the script has a NUL byte, at which the database would stop reading")
	}
	return text, nil
}

func (a *app) sql(ctx context.Context, t open.Target, w script.Work) error {
	db, dialect, err := t.Script()
	if errors.Is(err, fence.ErrInvalid) {
		return err // which names it
	}
	if err != nil {
		return atDestination(t.Label, w.Rule, err)
	}
	defer closeSoon(db)
	early := catchEarly(ctx)
	defer early.stop()
	v, results, err := w.Run(early.ctx, db, dialect)
	if err != nil {
		a.noteRefusal(ctx, err)
		return endedOr(early, scriptFailed(t.Label, w.Rule, err))
	}
	if v.Outcome == fence.Duplicate {
		a.say("%s: applied before, and not again: %v", t.Label, v)
	}
	answer := struct {
		Verdict fence.Verdict   `json:"verdict"`
		Results []script.Result `json:"results"`
	}{v, append([]script.Result{}, results...)}
	return a.print(answer, func(w io.Writer) error { return writeRows(w, results) })
}

// scriptFailed is the failure of a script as an exit status.
func scriptFailed(label string, rule guard.Rule, err error) error {
	if ended, ok := errors.AsType[*script.EndedError](err); ok {
		code := exitData
		if ended.Applied {
			code = exitUnknown
		}
		return &exitError{code, fmt.Errorf("%s: %w", label, ended)}
	}
	_, failed := errors.AsType[*script.StatementError](err)
	known := errors.Is(err, guard.ErrRetry) || errors.Is(err, guard.ErrUnknown) || errors.Is(err, fence.ErrRefused)
	if failed && !known || errors.Is(err, script.ErrTooMuch) {
		return &exitError{exitData, fmt.Errorf("%s: %w", label, err)}
	}
	return atDestination(label, rule, err)
}

// endedOr is the end by a signal, unless err says more: nobody knows then what became
// of the write.
func endedOr(early *earlySignals, err error) error {
	if errors.Is(err, guard.ErrUnknown) || errors.Is(err, fence.ErrRefused) {
		return err
	}
	return early.orEnded(err, "; nothing is applied")
}

// asCopy writes a value as COPY does, so that each row is one line.
var asCopy = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

func writeRows(out io.Writer, results []script.Result) error {
	for _, r := range results {
		for _, row := range r.Rows {
			cells := make([]string, len(row))
			for i, value := range row {
				if cells[i] = `\N`; value != nil {
					cells[i] = asCopy.Replace(*value)
				}
			}
			if _, err := fmt.Fprintln(out, strings.Join(cells, "\t")); err != nil {
				return err
			}
		}
	}
	return nil
}
