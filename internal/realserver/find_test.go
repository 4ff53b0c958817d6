package realserver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// ending records how a test would have ended: the first call counts, as a real
// one does not return.
type ending struct {
	testing.TB
	said string
}

func (e *ending) Helper()                   {}
func (e *ending) Fatalf(f string, a ...any) { e.end("failed", f, a) }
func (e *ending) Skipf(f string, a ...any)  { e.end("skipped", f, a) }

func (e *ending) end(how, f string, a []any) {
	if e.said == "" {
		e.said = how + ": " + fmt.Sprintf(f, a...)
	}
}

func TestMissingServerFailsWhereItIsRequired(t *testing.T) {
	for _, c := range []struct{ ci, require, want string }{
		{"", "", "skipped"},
		{"false", "0", "skipped"},
		{"true", "", "failed"},
		{"1", "", "failed"},
		{"", "1", "failed"},
	} {
		t.Setenv("CI", c.ci)
		t.Setenv("RINGFENCE_REQUIRE_SERVERS", c.require)
		var e ending
		missing(&e, errors.New("no server"))
		if !strings.HasPrefix(e.said, c.want) || !strings.Contains(e.said, "no server") {
			t.Errorf("CI=%q RINGFENCE_REQUIRE_SERVERS=%q: got %q, want %s", c.ci, c.require, e.said, c.want)
		}
	}
}

func TestFindPostgresFollowsPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no links")
	}
	real, links := t.TempDir(), t.TempDir()
	for _, name := range postgresPrograms {
		if err := os.WriteFile(filepath.Join(real, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(real, "postgres"), filepath.Join(links, "postgres")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", links)
	want, err := filepath.EvalSymlinks(real)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := findPostgres(); err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestFolderVersion(t *testing.T) {
	t.Parallel()
	for bin, want := range map[string]int{
		"/usr/lib/postgresql/9/bin":              9,
		"/usr/lib/postgresql/17/bin":             17,
		"/opt/homebrew/opt/postgresql@16/bin":    16,
		"/opt/homebrew/opt/postgresql/bin":       0,
		"/usr/lib/postgresql/something-else/bin": 0,
	} {
		if got := folderVersion(bin); got != want {
			t.Errorf("%s: got %d, want %d", bin, got, want)
		}
	}
}
