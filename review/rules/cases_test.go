package rules_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang"
	"github.com/ringfence-go/ringfence/review/lock"
	"github.com/ringfence-go/ringfence/review/rule"
	"github.com/ringfence-go/ringfence/review/rules"
)

// want is a comment that names the rules that must find something on its line.
var want = regexp.MustCompile(`(?://|#|--) want ([\d ]+)$`)

// TestCases reviews each file of testdata by itself: what is found is exactly what
// its comments say, no more, so that a file without such a comment is a safe one.
func TestCases(t *testing.T) {
	t.Parallel()
	for _, path := range cases(t) {
		t.Run(filepath.ToSlash(path), func(t *testing.T) {
			t.Parallel()
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, wants(src), review([]*ir.File{lang.Parse(lang.Of(path, src), path, src)})[path])
		})
	}
}

// TestUnits reviews each folder of testdata/units as one unit: its helpers, constants
// and classes stand in other files than what uses them.
func TestUnits(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob(filepath.Join("testdata", "units", "*", "*"))
	if err != nil || len(folders) < 9 {
		t.Fatalf("found %d folders: %v", len(folders), err)
	}
	for _, folder := range folders {
		t.Run(filepath.ToSlash(folder), func(t *testing.T) {
			t.Parallel()
			files := parseAll(t, folder)
			found := review(files)
			for _, f := range files {
				t.Log(f.Path)
				compare(t, wants(f.Source), found[f.Path])
			}
		})
	}
}

func parseAll(t *testing.T, folder string) (files []*ir.File) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, lang.Parse(lang.Of(path, src), path, src))
	}
	return files
}

func compare(t *testing.T, wanted map[string]bool, found map[string]string) {
	t.Helper()
	for w := range wanted {
		if found[w] == "" {
			t.Errorf("%s: nothing found", w)
		}
	}
	for f, message := range found {
		if !wanted[f] {
			t.Errorf("%s: unexpected: %s", f, message)
		}
	}
}

// TestEveryRuleIsNeeded takes each rule away: a case must notice.
func TestEveryRuleIsNeeded(t *testing.T) {
	t.Parallel()
	numbers := map[string]bool{}
	for _, path := range cases(t) {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for w := range wants(src) {
			_, number, _ := strings.Cut(w, " rule ")
			numbers[number] = true
		}
	}
	for i, r := range rules.All {
		if r.Number != i+1 {
			t.Errorf("%s has number %d at place %d", r.Name, r.Number, i+1)
		}
		if !numbers[strconv.Itoa(r.Number)] {
			t.Errorf("no case has a fault that %s finds", r.Name)
		}
	}
}

func cases(t *testing.T) (paths []string) {
	err := filepath.WalkDir("testdata", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "units" {
			return fs.SkipDir
		}
		if err == nil && !d.IsDir() && lang.Of(path, nil) != "" {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) < 10 {
		t.Fatalf("found %d cases: %v", len(paths), err)
	}
	return paths
}

func wants(src []byte) map[string]bool {
	wanted := map[string]bool{}
	for i, line := range strings.Split(string(src), "\n") {
		if m := want.FindStringSubmatch(line); m != nil {
			for _, number := range strings.Fields(m[1]) {
				wanted[fmt.Sprintf("line %d rule %s", i+1, number)] = true
			}
		}
	}
	return wanted
}

// review is what is found in some files at the default level, by their paths.
func review(files []*ir.File) map[string]map[string]string {
	found := map[string]map[string]string{}
	u := lock.NewUnit(files)
	for _, r := range rules.All {
		for _, x := range rule.Run(r, u) {
			if x.Confidence < rule.Likely {
				continue
			}
			path := x.File.Path
			if found[path] == nil {
				found[path] = map[string]string{}
			}
			line, _ := x.File.Position(x.Pos)
			found[path][fmt.Sprintf("line %d rule %d", line, r.Number)] = x.Message
		}
	}
	return found
}

// TestNoFaultInTestdata keeps the cases readable by their front-ends.
func TestNoFaultInTestdata(t *testing.T) {
	t.Parallel()
	var languages []ir.Language
	for _, path := range cases(t) {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := lang.Parse(lang.Of(path, src), path, src)
		for _, fault := range f.Faults {
			line, _ := f.Position(fault.Pos)
			t.Errorf("%s:%d: %s", path, line, fault.Text)
		}
		if !slices.Contains(languages, f.Language) {
			languages = append(languages, f.Language)
		}
	}
	if len(languages) != 9 {
		t.Errorf("there are cases in %d languages", len(languages))
	}
}
