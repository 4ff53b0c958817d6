//go:build unix

package runner_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/review/rules"
	"github.com/ringfence-go/ringfence/review/runner"
)

// BenchmarkReview reviews the cases of each language, again and again in folders of
// their own: lines for each second of a processor, so that others on the machine do
// not count, with reading, parsing and all rules. Every file of it is about locks, which makes it
// slower than code of which most has nothing to do with them.
func BenchmarkReview(b *testing.B) {
	folders, err := os.ReadDir(filepath.Join("..", "rules", "testdata"))
	if err != nil {
		b.Fatal(err)
	}
	for _, folder := range folders {
		if folder.Name() == "units" {
			continue
		}
		b.Run(folder.Name(), func(b *testing.B) {
			dir, lines := multiply(b, filepath.Join("..", "rules", "testdata", folder.Name()), 20_000)
			benchmark(b, dir, lines)
		})
	}
	if dir := os.Getenv("REVIEW_BENCH"); dir != "" {
		b.Run("REVIEW_BENCH", func(b *testing.B) { benchmark(b, dir, 0) })
	}
}

func benchmark(b *testing.B, dir string, lines int) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command does
	n := 0
	start := busy(b)
	for b.Loop() {
		r, err := runner.Run(b.Context(), &runner.Options{Dir: dir, Rules: rules.All})
		if err != nil || len(r.Problems) > 0 || r.Lines < lines {
			b.Fatalf("%d lines, %v, %v", r.Lines, r.Problems, err)
		}
		n += r.Lines
	}
	b.ReportMetric(float64(n)/(busy(b)-start).Seconds(), "lines/s")
}

// busy is the time that processors have spent on this program.
func busy(b *testing.B) time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		b.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// multiply copies a folder into folders side by side until they have so many lines.
func multiply(b *testing.B, from string, want int) (dir string, lines int) {
	b.Helper()
	dir = b.TempDir()
	for i := 0; lines < want; i++ {
		to := filepath.Join(dir, fmt.Sprint("copy", i))
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			b.Fatal(err)
		}
		entries, err := os.ReadDir(to)
		if err != nil {
			b.Fatal(err)
		}
		for _, e := range entries {
			src, err := os.ReadFile(filepath.Join(to, e.Name()))
			if err != nil {
				b.Fatal(err)
			}
			for _, c := range src {
				if c == '\n' {
					lines++
				}
			}
		}
	}
	return dir, lines
}
