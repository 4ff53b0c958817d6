//go:build unix

package runner_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ringfence-go/ringfence/review/runner"
)

// TestUnreadable names what can't be read, and waits for nothing.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"ok.py": unsafe, "secret.py": unsafe, "shut/a.py": unsafe})
	pipe := filepath.Join(dir, "pipe.py")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	shut := filepath.Join(dir, "shut")
	for _, name := range []string{filepath.Join(dir, "secret.py"), shut} {
		if err := os.Chmod(name, 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(shut, 0o700) })
	r := review(t, dir, func(o *runner.Options) { o.Paths = []string{".", "pipe.py"} })
	var got []string
	for _, p := range r.Problems {
		got = append(got, p.Path+": "+p.Reason)
	}
	want := []string{"pipe.py: is neither a file nor a folder", "secret.py: permission denied", "shut: permission denied"}
	if os.Geteuid() == 0 { // who may read everything
		want = want[:1]
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}
