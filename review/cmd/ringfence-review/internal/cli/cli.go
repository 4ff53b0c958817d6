// Package cli is the command line of the reviewer.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/review/govet"
	"github.com/ringfence-go/ringfence/review/report"
	"github.com/ringfence-go/ringfence/review/rule"
	"github.com/ringfence-go/ringfence/review/rules"
	"github.com/ringfence-go/ringfence/review/runner"
)

// The exit codes.
const (
	Clean    = 0
	Found    = 1
	Unviewed = 2 // something could not be reviewed, or the command line is wrong
)

const usage = `Usage: ringfence-review [flags] [PATH...]
       ringfence-review rules [RULE]

Reviews source code for unsafe locks: Go, Python, JavaScript, TypeScript, Java, Ruby,
PHP, Lua, shell and SQL. It never runs, imports or downloads what it reviews. Without
a path it reviews the current folder. As go vet -vettool=$(which ringfence-review) it
reviews Go packages.

Exit status: 0 clean, 1 findings, 2 something could not be reviewed.

Suppress a finding on its line or the line above, with a reason:
  //ringfence:ignore unchecked-release because ...

Settings of a project stand in .ringfence-review.json:
  {"disable": ["rule"], "exclude": ["pattern"], "strict": false, "baseline": "file"}

Flags:
`

type options struct {
	output, diff, baseline, writeBaseline, config, disable, exclude string
	strict, fix, syntax                                             bool
	maxTime                                                         time.Duration
	maxSize                                                         int64
}

func flags(o *options, stderr io.Writer) *flag.FlagSet {
	fs := flag.NewFlagSet("ringfence-review", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.output, "output", "text", "`FORMAT`: text, json or sarif")
	fs.BoolVar(&o.strict, "strict", false, "also show what is only possible")
	fs.StringVar(&o.diff, "diff", "", "show only findings on lines that changed since the commit `BASE`")
	fs.BoolVar(&o.fix, "fix", false, "make the changes that are mechanical")
	fs.StringVar(&o.baseline, "baseline", "", "leave out the findings that are listed in `FILE`")
	fs.StringVar(&o.writeBaseline, "write-baseline", "", "list today's findings in `FILE`, and exit with 0")
	fs.StringVar(&o.config, "config", "", "read settings from `FILE` instead of the nearest "+runner.ConfigName)
	fs.StringVar(&o.disable, "disable", "", "`RULES` that are not run, with commas in between")
	fs.StringVar(&o.exclude, "exclude", "", "`PATTERNS` of paths to leave out, as in .gitignore, with commas in between")
	fs.BoolVar(&o.syntax, "syntax", false, "read Go by its syntax alone: do not ask the go command for types")
	fs.DurationVar(&o.maxTime, "max-time", time.Minute, "review a folder that takes longer file by file, and give up the files that are slow")
	fs.Int64Var(&o.maxSize, "max-size", 2<<20, "do not read files of more `BYTES`")
	fs.Usage = func() {
		fmt.Fprint(fs.Output(), usage)
		fs.PrintDefaults()
	}
	return fs
}

// Main runs the command and returns its exit code.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == "rules" {
		return showRules(args[1:], stdout, stderr)
	}
	var o options
	fs := flags(&o, stderr)
	paths, err := parse(fs, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return Clean
	case err != nil:
		return Unviewed
	}
	if o.output != "text" && o.output != "json" && o.output != "sarif" {
		fmt.Fprintf(stderr, "ringfence-review: --output %s: use text, json or sarif\n", o.output)
		return Unviewed
	}
	code, err := review(ctx, &o, paths, stdout, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "ringfence-review: %v\n", err)
		return Unviewed
	}
	return code
}

// parse lets flags stand behind paths, too.
func parse(fs *flag.FlagSet, args []string) (paths []string, err error) {
	for {
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		if fs.NArg() == 0 {
			return paths, nil
		}
		rest := fs.Args()
		if len(args) > len(rest) && args[len(args)-len(rest)-1] == "--" {
			return append(paths, rest...), nil
		}
		paths = append(paths, rest[0])
		args = rest[1:]
	}
}

func review(ctx context.Context, o *options, paths []string, stdout, stderr io.Writer) (int, error) {
	ro, err := o.runner(paths, stderr)
	if err != nil {
		return Unviewed, err
	}
	r, err := runner.Run(ctx, ro)
	if err != nil {
		return Unviewed, err
	}
	for _, p := range r.Problems {
		fmt.Fprintf(stderr, "%s: not reviewed: %s\n", p.Path, p.Reason)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(stderr, "%s: note: %s\n", n.Path, n.Reason)
	}
	if o.writeBaseline != "" {
		return exitCode(&runner.Result{Problems: r.Problems}), writeBaseline(o.writeBaseline, r)
	}
	if o.fix {
		changed, err := runner.Fix(r.Findings)
		for _, name := range changed {
			fmt.Fprintf(stderr, "%s: fixed\n", name)
		}
		if err != nil {
			return Unviewed, err
		}
	}
	if err := write(stdout, stderr, o.output, r); err != nil {
		return Unviewed, err
	}
	return exitCode(r), nil
}

func write(stdout, stderr io.Writer, format string, r *runner.Result) error {
	switch format {
	case "json":
		return report.JSON(stdout, r)
	case "sarif":
		return report.SARIF(stdout, r, rules.All)
	}
	if err := report.Text(stdout, r); err != nil {
		return err
	}
	fmt.Fprintln(stderr, report.Summary(r))
	return nil
}

func exitCode(r *runner.Result) int {
	switch {
	case len(r.Problems) > 0:
		return Unviewed
	case len(r.Findings) > 0:
		return Found
	}
	return Clean
}

func writeBaseline(name string, r *runner.Result) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := runner.NewBaseline(r.Findings).Write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// runner puts the command line and the project's settings together.
func (o *options) runner(paths []string, stderr io.Writer) (*runner.Options, error) {
	config, err := o.settings()
	if err != nil {
		return nil, err
	}
	out := &runner.Options{Paths: paths, Strict: o.strict || config.Strict, Diff: o.diff, Exclude: append(config.Exclude, list(o.exclude)...), MaxTime: o.maxTime, MaxSize: o.maxSize, Progress: progress(stderr)}
	if out.Rules, err = enabled(append(config.Disable, list(o.disable)...)); err != nil {
		return nil, err
	}
	if !o.syntax {
		out.Typed = govet.Load
	}
	if name := o.baseline; name != "" || config.Baseline != "" && o.writeBaseline == "" {
		if name == "" {
			name = config.Baseline
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if out.Baseline, err = runner.ParseBaseline(text); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return out, nil
}

func (o *options) settings() (*runner.Config, error) {
	if o.config != "" {
		return runner.ReadConfig(o.config)
	}
	c, _, err := runner.FindConfig(".")
	return c, err
}

func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

func enabled(disabled []string) (out []*rule.Rule, err error) {
	off := map[*rule.Rule]bool{}
	for _, name := range disabled {
		r := rules.Named(name)
		if r == nil {
			return nil, fmt.Errorf("there is no rule %q: ringfence-review rules lists them", name)
		}
		off[r] = true
	}
	for _, r := range rules.All {
		if !off[r] {
			out = append(out, r)
		}
	}
	return out, nil
}

func showRules(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		for _, r := range rules.All {
			fmt.Fprintf(stdout, "%2d  %-22s %s\n", r.Number, r.Name, r.Summary)
		}
		return Clean
	}
	for _, name := range args {
		r := rules.Named(name)
		if r == nil {
			fmt.Fprintf(stderr, "ringfence-review: there is no rule %q\n", name)
			return Unviewed
		}
		fmt.Fprint(stdout, r.Page())
	}
	return Clean
}

// progress shows on a terminal how far the review is.
func progress(w io.Writer) func(done, all int) {
	f, ok := w.(*os.File)
	if !ok {
		return nil
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return func(done, all int) {
		text := strconv.Itoa(done) + " of " + strconv.Itoa(all) + " folders"
		if done == all {
			text = strings.Repeat(" ", len(text))
		}
		fmt.Fprint(f, "\r"+text+"\r")
	}
}
