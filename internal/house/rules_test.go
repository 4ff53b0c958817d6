package house

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// rule is one habit of this code base. Its check returns one line per fault.
type rule struct {
	name  string
	why   string
	check func(fs.FS) []string
}

var rules = []rule{
	{"directions", "data flows down once, and a user links only what is used; the reasons stand beside each direction",
		checkDirections},
	{"root on the standard library", "whoever checks a fence or writes a store must not be bound to anybody's version of anything",
		checkRootStandalone},
	{"testing only in tests", "a program that links package testing carries its flags and its size",
		checkTesting},
	{"modules in the workspace", "a module that go.work leaves out is one that no test runs",
		checkWorkspace},
	{"modules replace the root", "before a release is tagged, nothing else makes a module build without the workspace",
		checkReplace},
	{"package names", "a package that is named after nothing holds anything",
		checkPackageNames},
	{"file length", "a file that can't be read in one sitting isn't",
		checkLength},
	{"no sleeping in tests", "a sleep is too short on a busy machine and too long on every other; wait on a signal, or poll with a deadline",
		checkSleep},
	{"SQL and Lua say what they are for", "a statement in a log or a slow-query list leads back to its purpose",
		checkPurpose},
	{"links lead somewhere", "a page that promises another one is a promise too",
		checkLinks},
	{"named tests are there", "a promise that names its test is only as good as the test",
		checkNamedTests},
}

// maxLines is where a file has to be split; most are far below.
const maxLines = 450

// mayTest are the packages that are themselves part of tests.
var mayTest = []string{
	"internal/realserver", "internal/e2e", "internal/e2e/*", "ringfencetest",
	"store/storetest", "store/storetest/broken", "guard/guardtest", "guard/guardtest/broken", "journal/journaltest", "kindtest",
}

// maySleep are test files with a real sleep, and the reason. A file that uses
// testing/synctest needs none: its time is virtual.
var maySleep = map[string]string{
	"cmd/ringfence/internal/child/helper_test.go": "its children have to sit still, and what other processes do is polled with a deadline",
}

// outsideWorkspace are modules that are no part of what is built: what checks the
// code, and what it is measured against.
var outsideWorkspace = []string{"internal/tools", "internal/e2e/bench"}

func checkRootStandalone(fsys fs.FS) (faults []string) {
	nested := modules(fsys)
	for _, s := range sources(fsys) {
		switch {
		case s.path == "go.mod" && strings.Contains(s.text, "\nrequire"):
			faults = append(faults, "go.mod: the root module must require nothing")
		case s.isGo() && !slices.ContainsFunc(nested, func(dir string) bool { return within(s.path, dir) }):
			for _, imported := range s.imports() {
				if _, ours := ourPackage(imported); !ours && isThirdParty(imported) {
					faults = append(faults, fmt.Sprintf("%s: imports %s in the root module", s.path, imported))
				}
			}
		}
	}
	return faults
}

// isThirdParty tells a path that begins with a host name from one of the
// standard library.
func isThirdParty(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return strings.Contains(first, ".")
}

func checkTesting(fsys fs.FS) (faults []string) {
	for _, s := range sources(fsys) {
		if !s.isGo() || s.isTest() || slices.ContainsFunc(mayTest, func(p string) bool { return matches(p, s.dir()) }) {
			continue
		}
		for _, imported := range s.imports() {
			if imported == "testing" || strings.HasPrefix(imported, "testing/") {
				faults = append(faults, fmt.Sprintf("%s: imports %s outside of a test", s.path, imported))
			}
		}
	}
	return faults
}

func checkWorkspace(fsys fs.FS) (faults []string) {
	work, err := fs.ReadFile(fsys, "go.work")
	if err != nil {
		return []string{err.Error()}
	}
	used := strings.Fields(string(work))
	for _, dir := range append(modules(fsys), ".") {
		name := dir
		if dir != "." {
			name = "./" + dir
		}
		if !slices.Contains(used, name) && !slices.Contains(outsideWorkspace, dir) {
			faults = append(faults, fmt.Sprintf("go.work: does not use %s", name))
		}
	}
	return faults
}

func checkReplace(fsys fs.FS) (faults []string) {
	for _, dir := range modules(fsys) {
		text, err := fs.ReadFile(fsys, path.Join(dir, "go.mod"))
		if err != nil {
			return []string{err.Error()}
		}
		up := strings.TrimSuffix(strings.Repeat("../", strings.Count(dir, "/")+1), "/")
		want := "replace " + modulePath + " => " + up
		if !slices.Contains(strings.Split(string(text), "\n"), want) && !slices.Contains(outsideWorkspace, dir) {
			faults = append(faults, fmt.Sprintf("%s/go.mod: lacks %q", dir, want))
		}
	}
	return faults
}

// modules lists the folders of the modules below the root.
func modules(fsys fs.FS) (dirs []string) {
	walk(fsys, func(name string) {
		if path.Base(name) == "go.mod" && name != "go.mod" {
			dirs = append(dirs, path.Dir(name))
		}
	})
	return dirs
}

func within(name, dir string) bool { return strings.HasPrefix(name, dir+"/") }

func checkPackageNames(fsys fs.FS) (faults []string) {
	for _, s := range sources(fsys) {
		if !s.isGo() {
			continue
		}
		switch name := strings.TrimSuffix(s.parse().Name.Name, "_test"); strings.TrimSuffix(name, "s") {
		case "util", "common", "helper", "type", "misc", "shared":
			faults = append(faults, fmt.Sprintf("%s: package %s: name it after what it holds", s.path, name))
		}
	}
	return faults
}

func checkLength(fsys fs.FS) (faults []string) {
	for _, s := range sources(fsys) {
		if n := strings.Count(s.text, "\n"); n > maxLines {
			faults = append(faults, fmt.Sprintf("%s: has %d lines, more than %d", s.path, n, maxLines))
		}
	}
	return faults
}

func checkSleep(fsys fs.FS) (faults []string) {
	sleeps := make(map[string]bool)
	for _, s := range sources(fsys) {
		if !s.isTest() || slices.Contains(s.imports(), "testing/synctest") || !s.uses("time", "Sleep") {
			continue
		}
		sleeps[s.path] = true
		if maySleep[s.path] == "" {
			faults = append(faults, fmt.Sprintf("%s: sleeps in real time", s.path))
		}
	}
	for name := range maySleep {
		if _, err := fs.Stat(fsys, name); err == nil && !sleeps[name] {
			faults = append(faults, fmt.Sprintf("%s: no longer sleeps: take it off the list", name))
		}
	}
	return faults
}

func checkPurpose(fsys fs.FS) (faults []string) {
	for _, s := range sources(fsys) {
		if slices.Contains([]string{".sql", ".lua"}, path.Ext(s.path)) && !strings.HasPrefix(s.text, "-- ") {
			faults = append(faults, fmt.Sprintf("%s: its first line must be a comment with its purpose", s.path))
		}
	}
	return faults
}
