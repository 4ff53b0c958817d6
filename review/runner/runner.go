package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang"
	"github.com/ringfence-go/ringfence/review/lock"
	"github.com/ringfence-go/ringfence/review/rule"
)

// Options say what to review, and how. A nil *Options reviews the current folder.
type Options struct {
	Dir      string       // paths are relative to it. Defaults to the current folder
	Paths    []string     // files and folders; "x/..." is the folder x. Defaults to everything in Dir
	Rules    []*rule.Rule // required: which rules to run
	Strict   bool         // also show what is only possible
	Exclude  []string     // patterns of paths to leave out, as in .gitignore
	Diff     string       // only lines that changed since this commit of git
	Baseline *Baseline    // findings that are known. Defaults to none

	MaxSize int64         // larger files are not read, and named. Defaults to 2 MiB
	MaxTime time.Duration // a folder that takes longer is reviewed file by file, and a file that takes too long is given up, and named. Defaults to 1 min

	Progress func(done, all int) // is told how far the work is. Defaults to nobody
	Typed    TypedFiles          // reads Go packages with their types. Defaults to reading Go by its syntax
}

// TypedFiles gets ready to read the Go files of folders with types, those of tests if
// they are asked for.
type TypedFiles func(ctx context.Context, dirs []string, tests bool) TypedFolder

// A TypedFolder reads the Go files of one folder with types, several folders at a time.
// Sources are those that have been read already. What it does not return is read by its
// syntax; why says so.
type TypedFolder func(dir string, sources map[string][]byte) (files map[string]*ir.File, why string)

// A Result is what a review found.
type Result struct {
	Findings []Finding
	Problems []Problem // what could not be reviewed, and why
	Notes    []Problem // what was reviewed less well than it might, and why
	Files    int       // how many files were looked at
	Lines    int
}

// A Problem is something that could not be reviewed.
type Problem struct{ Path, Reason string }

func (p Problem) compare(other Problem) int {
	return cmp.Or(strings.Compare(p.Path, other.Path), strings.Compare(p.Reason, other.Reason))
}

// A Finding is a finding with its place in terms of a reader.
type Finding struct {
	rule.Finding
	Path         string // relative to Options.Dir, with slashes
	Line, Column int
	Text         string // the line
}

// Place is a place in the file of a finding; the column counts characters, not bytes.
func (f Finding) Place(p ir.Pos) (line, column int) {
	line, column = f.File.Position(p)
	text := f.File.Line(line)
	return line, utf8.RuneCountInString(text[:min(column-1, len(text))]) + 1
}

// Run reviews.
func Run(ctx context.Context, o *Options) (*Result, error) {
	r := &run{Options: withDefaults(o), ctx: ctx, result: &Result{}}
	changed, err := r.changes()
	if err != nil {
		return nil, err
	}
	r.changed = changed
	units := r.packages(r.units())
	r.types(units)
	r.each(units)
	result := r.handOver()
	slices.SortFunc(result.Findings, func(a, b Finding) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return number(a) - number(b)
	})
	slices.SortFunc(result.Problems, Problem.compare)
	slices.SortFunc(result.Notes, Problem.compare)
	result.Problems = slices.Compact(result.Problems) // of a folder and of its files
	result.Notes = slices.Compact(result.Notes)
	if r.Baseline != nil {
		result.Findings = r.Baseline.unknown(result.Findings)
	}
	return result, ctx.Err()
}

// handOver returns the result. What was given up and runs on adds to another one.
func (r *run) handOver() *Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	result := r.result
	r.result = &Result{}
	return result
}

func number(f Finding) int {
	if f.Rule == nil {
		return 0
	}
	return f.Rule.Number
}

func withDefaults(o *Options) Options {
	if o == nil {
		o = &Options{}
	}
	out := *o
	if out.Dir == "" {
		out.Dir = "."
	}
	if abs, err := filepath.Abs(out.Dir); err == nil {
		out.Dir = abs
	}
	if real, err := filepath.EvalSymlinks(out.Dir); err == nil {
		out.Dir = real
	}
	if len(out.Paths) == 0 {
		out.Paths = []string{"."}
	}
	if out.MaxSize == 0 {
		out.MaxSize = 2 << 20
	}
	if out.MaxTime == 0 {
		out.MaxTime = time.Minute
	}
	return out
}

type run struct {
	Options
	ctx     context.Context
	changed map[string]lines
	mu      sync.Mutex
	result  *Result
	typed   TypedFolder // nil if Go is read by its syntax
}

// unit is the files of one language in one folder.
type unit struct {
	dir      string
	language ir.Language
	paths    []string
	pkg
}

func (r *run) problem(path, format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Problems = append(r.result.Problems, Problem{r.relative(path), fmt.Sprintf(format, args...)})
}

func (r *run) note(path, format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Notes = append(r.result.Notes, Problem{r.relative(path), fmt.Sprintf(format, args...)})
}

func (r *run) relative(path string) string {
	if rel, err := filepath.Rel(r.Dir, path); err == nil {
		path = rel
	}
	return filepath.ToSlash(path)
}

// each reviews the units, as many at a time as there are processors.
func (r *run) each(units []*unit) {
	queue := make(chan *unit)
	var wait sync.WaitGroup
	done := 0
	for range min(runtime.GOMAXPROCS(0), max(1, len(units))) {
		wait.Go(func() {
			for u := range queue {
				r.bounded(u)
				r.mu.Lock()
				done++
				if r.Progress != nil {
					r.Progress(done, len(units))
				}
				r.mu.Unlock()
			}
		})
	}
	for _, u := range units {
		if r.ctx.Err() != nil {
			break
		}
		queue <- u
	}
	close(queue)
	wait.Wait()
}

// outcome is what came of a unit.
type outcome struct {
	findings     []Finding
	files, lines int
	problems     []Problem
	outline      *lock.Outline
}

// guarded reviews a unit. Where that fails by an error of our own, each of its files
// is reviewed alone, so that one of them costs the others nothing but their helpers.
func (r *run) guarded(u *unit, known map[string]*lock.Outline) (out outcome) {
	defer func() {
		x := recover()
		switch {
		case x == nil:
		case len(u.paths) == 1:
			out = outcome{problems: []Problem{{r.relative(u.paths[0]), fmt.Sprintf("an error of the reviewer itself: %v at %s", x, where())}}}
		default:
			out = r.alone(u, known)
		}
	}()
	return r.review(u, known)
}

func (r *run) alone(u *unit, known map[string]*lock.Outline) (all outcome) {
	for _, path := range u.paths {
		out := r.guarded(&unit{dir: u.dir, language: u.language, paths: []string{path}, pkg: u.pkg}, known)
		all.findings = append(all.findings, out.findings...)
		all.problems = append(all.problems, out.problems...)
		all.files += out.files
		all.lines += out.lines
	}
	return all
}

// where is the place in the reviewer that failed.
func where() string {
	for line := range strings.Lines(string(debug.Stack())) {
		if strings.Contains(line, "/review/") && !strings.Contains(line, "/runner/") && strings.HasPrefix(line, "\t") {
			return filepath.Base(strings.TrimSpace(line))
		}
	}
	return "an unknown place"
}

func (r *run) review(u *unit, known map[string]*lock.Outline) (out outcome) {
	sources := map[string][]byte{}
	asks := u.wanted
	for _, path := range u.paths {
		src, err := r.read(path)
		if err != nil {
			if !u.quiet && !errors.Is(err, errProgram) {
				r.problem(path, "%v", err)
			}
			continue
		}
		out.files++
		out.lines += countLines(src)
		sources[path] = src
		asks = asks || u.language != ir.Go && (r.Strict || !isTest(path)) && Triggers(src)
	}
	if !asks {
		return out
	}
	var parsed []*ir.File
	typed := r.withTypes(u, sources)
	for _, path := range u.paths {
		if src, ok := sources[path]; ok && (r.Strict || !isTest(path)) {
			f := typed[path]
			if f == nil {
				f = lang.Parse(u.language, path, src)
			}
			if !u.quiet {
				r.tell(f)
			}
			parsed = append(parsed, f)
		}
	}
	model := lock.NewUnitAmong(parsed, known)
	if u.path != "" {
		out.outline = model.Outline(u.path)
	}
	if u.quiet {
		return out
	}
	for _, ru := range r.Rules {
		for _, f := range rule.Run(ru, model) {
			out.findings = append(out.findings, r.place(f))
		}
	}
	out.findings = r.keep(parsed, out.findings)
	return out
}

// withTypes reads a package of Go with its types, where they are to be had.
func (r *run) withTypes(u *unit, sources map[string][]byte) map[string]*ir.File {
	if r.typed == nil || u.language != ir.Go {
		return nil
	}
	files, why := r.typed(u.dir, sources)
	if why != "" && !u.quiet {
		r.note(u.dir, "reviewed by syntax: %s", why)
	}
	return files
}

// tell says what of a file could not be read.
func (r *run) tell(f *ir.File) {
	if len(f.Faults) == 0 {
		return
	}
	line, _ := f.Position(f.Faults[0].Pos)
	if fault := deepest(f.Faults); fault != nil {
		line, _ = f.Position(fault.Pos)
		r.problem(f.Path, "line %d: nested too deeply: what is further in was not reviewed", line)
		return
	}
	r.note(f.Path, "line %d: %s; what could be read was reviewed", line, f.Faults[0].Text)
}

// deepest is the fault that says that a bound on nesting was hit; nil if none does.
func deepest(list []ir.Fault) *ir.Fault {
	for i := range list {
		if strings.Contains(list[i].Text, "nested too deeply") || strings.Contains(list[i].Text, "max nesting depth") {
			return &list[i]
		}
	}
	return nil
}

func (r *run) place(f rule.Finding) Finding {
	out := Finding{Finding: f, Path: r.relative(f.File.Path)}
	out.Line, out.Column = f.File.Position(f.Pos)
	out.Text = f.File.Line(out.Line)
	return out
}

// keep drops what is not sure enough, not on a changed line, or suppressed.
func (r *run) keep(files []*ir.File, findings []Finding) (kept []Finding) {
	ignored := r.suppressions(files)
	for _, f := range findings {
		switch {
		case f.Confidence < rule.Likely && !r.Strict:
		case r.changed != nil && !r.changed[f.Path].has(f.Line):
		case ignored.covers(f):
		default:
			kept = append(kept, f)
		}
	}
	return append(kept, ignored.faults(r)...)
}
