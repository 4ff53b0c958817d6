package govet

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/review/rules"
	"github.com/ringfence-go/ringfence/review/runner"
)

// clients makes a module of testdata/packages, in which helpers stand in one package
// and what calls them in another, and returns what must be found in it.
func clients(t *testing.T) (dir string, wanted []string) {
	t.Helper()
	dir = t.TempDir()
	for name, from := range map[string]string{".": "packages", "redis": "redis"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join("testdata", from))); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"go.mod":       "module example.test/packages\n\ngo 1.26\n\nrequire github.com/redis/go-redis/v9 v9.0.0\n\nreplace github.com/redis/go-redis/v9 => ./redis\n",
		"redis/go.mod": "module github.com/redis/go-redis/v9\n\ngo 1.26\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, wants(t, dir)
}

// want is a comment that names the rules that must find something on its line.
var want = regexp.MustCompile(`// want ([\d ]+)$`)

func wants(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		src, err := os.ReadFile(filepath.Join(dir, path))
		for i, line := range strings.Split(string(src), "\n") {
			if m := want.FindStringSubmatch(line); m != nil {
				for _, number := range strings.Fields(m[1]) {
					list = append(list, fmt.Sprintf("%s:%d rule %s", path, i+1, number))
				}
			}
		}
		return err
	})
	if err != nil || len(list) < 10 {
		t.Fatalf("%d faults are wanted: %v", len(list), err)
	}
	return list
}

// differ tells what was found and not wanted, and the other way round.
func differ(t *testing.T, found map[string]string, wanted []string) {
	t.Helper()
	for _, w := range wanted {
		if _, ok := found[w]; !ok {
			t.Errorf("%s: nothing found", w)
		}
	}
	for _, f := range slices.Sorted(maps.Keys(found)) {
		if !slices.Contains(wanted, f) {
			t.Errorf("%s: unexpected: %s", f, found[f])
		}
	}
}

func findings(t *testing.T, options *runner.Options) map[string]string {
	t.Helper()
	options.Rules = rules.All
	r, err := runner.Run(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Problems)+len(r.Notes) > 0 {
		t.Errorf("told %v %v", r.Problems, r.Notes)
	}
	found := map[string]string{}
	for _, f := range r.Findings {
		found[fmt.Sprintf("%s:%d rule %d", f.Path, f.Line, f.Rule.Number)] = f.Message
	}
	return found
}

func TestPackagesAreFollowed(t *testing.T) {
	t.Parallel()
	for name, typed := range map[string]runner.TypedFiles{"with types": Load, "by syntax": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, wanted := clients(t)
			differ(t, findings(t, &runner.Options{Dir: dir, Typed: typed}), wanted)
		})
	}
}

// TestOnePackageIsAskedFor follows calls into packages that are not reported.
func TestOnePackageIsAskedFor(t *testing.T) {
	t.Parallel()
	dir, wanted := clients(t)
	wanted = slices.DeleteFunc(wanted, func(w string) bool { return !strings.HasPrefix(w, "jobs/") })
	differ(t, findings(t, &runner.Options{Dir: dir, Paths: []string{"jobs"}, Typed: Load}), wanted)
}
