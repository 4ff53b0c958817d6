package realserver

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// required says whether a missing server fails the test rather than skips it.
func required() bool {
	for _, name := range []string{"CI", "RINGFENCE_REQUIRE_SERVERS"} {
		if on, err := strconv.ParseBool(os.Getenv(name)); err == nil && on {
			return true
		}
	}
	return false
}

// missing ends the test for want of a server.
func missing(t testing.TB, err error) {
	t.Helper()
	if required() {
		t.Fatalf("realserver: %v", err)
	}
	t.Skipf("realserver: %v", err)
}

var postgresPrograms = []string{"postgres", "initdb", "psql", "pg_basebackup"}

// findPostgres returns the folder that holds the programs of one PostgreSQL:
// the one in PATH, else the newest of Debian's, else Homebrew's.
func findPostgres() (string, error) {
	for _, dir := range postgresFolders() {
		if hasAll(dir, postgresPrograms) {
			return dir, nil
		}
	}
	return "", fmt.Errorf("PostgreSQL 15 or later is not installed: %s", howTo("postgresql", "postgresql@17"))
}

func postgresFolders() []string {
	var dirs []string
	if path, err := exec.LookPath("postgres"); err == nil {
		// A link in PATH may point out of the folder that holds the other programs.
		if path, err = filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(path))
		}
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin",
		"/opt/homebrew/opt/postgresql*/bin",
		"/usr/local/opt/postgresql*/bin",
	} {
		found, _ := filepath.Glob(pattern)
		slices.SortFunc(found, func(a, b string) int { return folderVersion(b) - folderVersion(a) })
		dirs = append(dirs, found...)
	}
	return dirs
}

// folderVersion reads 17 from ".../postgresql/17/bin" and ".../postgresql@17/bin".
func folderVersion(bin string) int {
	parent := filepath.Base(filepath.Dir(bin))
	n, _ := strconv.Atoi(parent[strings.LastIndex(parent, "@")+1:])
	return n
}

func hasAll(dir string, programs []string) bool {
	return !slices.ContainsFunc(programs, func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err != nil
	})
}

// findFaketime returns the library that moves the clock of a program it is
// loaded into. That is known to work for PostgreSQL on Linux; a Go program
// takes no notice of it.
func findFaketime() (string, error) {
	if runtime.GOOS != "linux" {
		return "", fmt.Errorf("a server's clock is moved on Linux only")
	}
	for _, pattern := range []string{"/usr/lib/*/faketime/libfaketime.so.1", "/usr/lib*/faketime/libfaketime.so.1"} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return found[0], nil
		}
	}
	return "", fmt.Errorf("libfaketime is not installed: %s", howTo("faketime", "libfaketime"))
}

func howTo(debian, homebrew string) string {
	if runtime.GOOS == "darwin" {
		return "brew install " + homebrew
	}
	return "install the Debian package with apt-get install --no-install-recommends " + debian
}
