package house

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// link is the target of a Markdown link.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// checkLinks reports every relative link of a page that leads to no file.
func checkLinks(fsys fs.FS) (faults []string) {
	walk(fsys, func(name string) {
		if path.Ext(name) != ".md" {
			return
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			panic(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if target == "" || strings.Contains(target, "://") {
				continue
			}
			if _, err := fs.Stat(fsys, path.Join(path.Dir(name), target)); err != nil {
				faults = append(faults, fmt.Sprintf("%s: the link to %s leads nowhere", name, m[1]))
			}
		}
	})
	return faults
}
