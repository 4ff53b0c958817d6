package house

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

var (
	quotedName = regexp.MustCompile("`((?:Test[A-Z]|[CG]\\d\\d_)\\w*)(?:/[^`]*)?`")
	testFunc   = regexp.MustCompile(`(?m)^func (Test[A-Z]\w*)\(`)
	suiteEntry = regexp.MustCompile(`ID: "([CG]\d\d)", Name: "(\w+)"`)
)

// checkNamedTests reports every test that a page names and nothing declares: a function,
// or a clause of a suite. In a table whose last column is headed "test", each row must
// name one.
func checkNamedTests(fsys fs.FS) (faults []string) {
	declared := declaredTests(fsys)
	walk(fsys, func(name string) {
		if path.Ext(name) != ".md" {
			return
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			panic(err)
		}
		proved := false
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			named := quotedName.FindAllStringSubmatch(line, -1)
			for _, m := range named {
				if !declared[m[1]] {
					faults = append(faults, fmt.Sprintf("%s: there is no test %s", name, m[1]))
				}
			}
			switch {
			case !strings.HasPrefix(line, "|"):
				proved = false
			case strings.HasSuffix(line, "| test |"):
				proved = true
			case proved && !strings.HasPrefix(line, "|--") && len(named) == 0:
				faults = append(faults, fmt.Sprintf("%s: no test is named for %s", name, line))
			}
		}
	})
	return faults
}

func declaredTests(fsys fs.FS) map[string]bool {
	all := make(map[string]bool)
	for _, s := range sources(fsys) {
		if s.isTest() {
			for _, m := range testFunc.FindAllStringSubmatch(s.text, -1) {
				all[m[1]] = true
			}
		}
		if s.isGo() {
			for _, m := range suiteEntry.FindAllStringSubmatch(s.text, -1) {
				all[m[1]+"_"+m[2]] = true
			}
		}
	}
	return all
}
