//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets a benchmark start the command in a process of its own, which tells the
// most memory that it had: its own, not that of the go command it asks.
func TestMain(m *testing.M) {
	if os.Getenv("REVIEW_COMMAND") == "" {
		os.Exit(m.Run())
	}
	code := run(os.Args[1:])
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(70)
	}
	kib := use.Maxrss
	if runtime.GOOS == "darwin" {
		kib >>= 10 // it counts bytes there
	}
	fmt.Fprintf(os.Stderr, "peak of %d KiB\n", kib)
	os.Exit(code)
}

// start starts a program in a folder, and tells how long it and all that it started
// took, on the wall and on processors.
func start(b *testing.B, dir string, env []string, program string, args ...string) (out string, wall, busy time.Duration) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	begin := time.Now()
	err := cmd.Run()
	wall = time.Since(begin)
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() > 2 || cmd.ProcessState.ExitCode() < 0 {
		b.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, said.String())
	}
	return said.String(), wall, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

var told = regexp.MustCompile(`(?s) in \d+ files?, (\d+) lines.*peak of (\d+) KiB`)

// review runs the command.
func review(b *testing.B, dir string, args ...string) (lines, peak int, wall, busy time.Duration) {
	b.Helper()
	out, wall, busy := start(b, dir, []string{"REVIEW_COMMAND=1"}, os.Args[0], args...)
	m := told.FindStringSubmatch(out)
	if m == nil {
		b.Fatalf("it told %s", out)
	}
	lines, _ = strconv.Atoi(m[1])
	peak, _ = strconv.Atoi(m[2])
	return lines, peak, wall, busy
}

// BenchmarkReviewAgainstGoVet reviews this project, all of its modules, and the module
// that REVIEW_BENCH names. All that they import has been compiled; neither program has
// seen the copy that it is given before.
func BenchmarkReviewAgainstGoVet(b *testing.B) {
	b.Run("project", func(b *testing.B) { against(b, filepath.Join("..", "..", ".."), "work") })
	if dir := os.Getenv("REVIEW_BENCH"); dir != "" {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			b.Run("REVIEW_BENCH", func(b *testing.B) { against(b, dir, "./...") })
		}
	}
}

func against(b *testing.B, from, packages string) {
	for b.Loop() {
		dir := fresh(b, from)
		start(b, dir, nil, "go", "list", "-e", "-export", "-deps", "-test", packages)
		_, vetWall, vet := start(b, dir, nil, "go", "vet", packages)
		lines, _, wall, busy := review(b, dir, ".")
		b.ReportMetric(float64(lines), "lines")
		b.ReportMetric(vet.Seconds(), "vet-cpu-s")
		b.ReportMetric(busy.Seconds(), "review-cpu-s")
		b.ReportMetric(busy.Seconds()/vet.Seconds(), "of-vet-cpu")
		b.ReportMetric(wall.Seconds()/vetWall.Seconds(), "of-vet-wall")
	}
}

// fresh copies a module, without what git or a build keeps in it.
func fresh(b *testing.B, from string) string {
	b.Helper()
	to := b.TempDir()
	err := filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		rel, _ := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (rel == ".git" || rel == "bin"):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o644)
	})
	if err != nil {
		b.Fatal(err)
	}
	return to
}

// BenchmarkReviewMemory reviews Go's own source, which is more than a million lines,
// with types and by syntax, and what REVIEW_BENCH names.
func BenchmarkReviewMemory(b *testing.B) {
	out, _, _ := start(b, ".", nil, "go", "env", "GOROOT")
	src := filepath.Join(strings.TrimSpace(out), "src")
	for name, args := range map[string][]string{"types": {"."}, "syntax": {"--syntax", "."}} {
		b.Run(name, func(b *testing.B) { memory(b, src, args...) })
	}
	if dir := os.Getenv("REVIEW_BENCH"); dir != "" {
		b.Run("REVIEW_BENCH", func(b *testing.B) { memory(b, dir, ".") })
	}
}

func memory(b *testing.B, dir string, args ...string) {
	for b.Loop() {
		lines, peak, _, busy := review(b, dir, args...)
		b.ReportMetric(float64(lines), "lines")
		b.ReportMetric(float64(peak)/1024, "peak-MiB")
		b.ReportMetric(busy.Seconds(), "cpu-s")
	}
}
