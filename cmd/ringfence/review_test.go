package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReview hands over to the reviewer: beside the command, in PATH, and where there
// is none.
func TestReview(t *testing.T) {
	t.Parallel()
	ringfence, err := exec.LookPath("ringfence")
	if err != nil {
		t.Fatal(err)
	}
	bin, empty, work := buildReviewer(t), t.TempDir(), t.TempDir()
	beside := filepath.Join(bin, "ringfence")
	if err := os.Link(ringfence, beside); err != nil {
		copyFile(t, ringfence, beside)
	}
	writeFile(t, filepath.Join(work, "job.py"), "def free(r):\n    r.delete('lock:job')\n\ndef take(r):\n    return r.set('lock:job', 'me', nx=True, ex=60)\n")
	writeFile(t, filepath.Join(work, "clean.py"), "print('clean')\n")

	for _, c := range []struct {
		name, program, path string
		args                []string
		status              int
		says                string
	}{
		{"beside", beside, empty, []string{"--output", "json", "."}, 1, `"path": "job.py"`},
		{"in PATH", ringfence, bin, []string{"job.py"}, 1, "job.py:2:7: warning: "},
		{"clean", ringfence, bin, []string{"clean.py"}, 0, "0 findings in 1 file"},
		{"absent path", ringfence, bin, []string{"absent"}, 2, "absent: not reviewed: does not exist"},
		{"rules", ringfence, bin, []string{"rules", "fail-open"}, 0, "# 9. fail-open"},
		{"help", ringfence, bin, []string{"--help"}, 0, "-write-baseline FILE"},
		{"missing", ringfence, empty, []string{"."}, 2, "install it with go install github.com/ringfence-go/ringfence/review/cmd/ringfence-review@latest"},
		{"help without it", ringfence, empty, []string{"--help"}, 0, "looked for beside this program"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var said bytes.Buffer
			cmd := exec.CommandContext(t.Context(), c.program, append([]string{"review"}, c.args...)...)
			cmd.Dir, cmd.Env = work, append(os.Environ(), "PATH="+c.path)
			cmd.Stdout, cmd.Stderr = &said, &said
			_ = cmd.Run()
			if got := cmd.ProcessState.ExitCode(); got != c.status || !strings.Contains(said.String(), c.says) {
				t.Errorf("exit %d, want %d and %q\n%s", got, c.status, c.says, &said)
			}
		})
	}
}

// buildReviewer builds the reviewer and returns the folder that it is in.
func buildReviewer(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	build := exec.Command("go", "build", "-C", filepath.Join("..", "..", "review"), "-o", bin, "./cmd/ringfence-review")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the reviewer: %v\n%s", err, out)
	}
	return bin
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}
