package runner

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// ignores are the patterns of .gitignore files, those of outer folders first.
type ignores []pattern

type pattern struct {
	base    string // the folder that the pattern belongs to
	glob    string
	negated bool
	dirOnly bool
	rooted  bool // it has a slash in it: it stands for a path, not for a name
}

// ignoresAbove collects the patterns that hold for a folder from those around it, up
// to the root of the repository.
func ignoresAbove(dir string, exclude []string) (list ignores) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = dir
	}
	var above []string
	for d := filepath.Dir(abs); ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(abs, ".git")); err == nil {
			break
		}
		above = append(above, d)
		if _, err := os.Stat(filepath.Join(d, ".git")); err == nil {
			break
		}
		if d == filepath.Dir(d) {
			above = nil // no repository
			break
		}
	}
	for i := len(above) - 1; i >= 0; i-- {
		list = list.with(above[i])
	}
	for _, x := range exclude {
		list = list.add(abs, x)
	}
	return list
}

// with adds the patterns of a folder's own file.
func (l ignores) with(dir string) ignores {
	text, err := os.ReadFile(filepath.Join(dir, ".gitignore"))
	if err != nil || len(text) > 1<<20 {
		return l
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return l
	}
	l = l[:len(l):len(l)]
	for line := range strings.Lines(string(text)) {
		l = l.add(abs, line)
	}
	return l
}

func (l ignores) add(base, line string) ignores {
	p := pattern{base: base, glob: strings.TrimRight(line, " \t\r\n")}
	if p.glob == "" || strings.HasPrefix(p.glob, "#") {
		return l
	}
	p.glob, p.negated = strings.CutPrefix(p.glob, "!")
	p.glob = strings.TrimPrefix(p.glob, "\\")
	p.glob, p.dirOnly = strings.CutSuffix(p.glob, "/")
	p.rooted = strings.Contains(p.glob, "/")
	p.glob = strings.TrimPrefix(p.glob, "/")
	return append(l, p)
}

// match reports whether a path is ignored: the last pattern that fits decides.
func (l ignores) match(p string, dir bool) bool {
	if len(l) == 0 {
		return false
	}
	abs, err := filepath.Abs(p)
	if err != nil {
		return false
	}
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].fits(abs, dir) {
			return !l[i].negated
		}
	}
	return false
}

func (p pattern) fits(abs string, dir bool) bool {
	if p.dirOnly && !dir {
		return false
	}
	rel, err := filepath.Rel(p.base, abs)
	if err != nil || strings.HasPrefix(rel, "..") {
		return false
	}
	rel = filepath.ToSlash(rel)
	if !p.rooted {
		ok, err := path.Match(p.glob, path.Base(rel))
		return ok && err == nil
	}
	return fitsParts(strings.Split(p.glob, "/"), strings.Split(rel, "/"))
}

// fitsParts matches a path part by part; ** stands for any number of them.
func fitsParts(glob, parts []string) bool {
	for len(glob) > 0 {
		if glob[0] == "**" {
			for i := range len(parts) + 1 {
				if fitsParts(glob[1:], parts[i:]) {
					return true
				}
			}
			return false
		}
		if len(parts) == 0 {
			return false
		}
		if ok, err := path.Match(glob[0], parts[0]); !ok || err != nil {
			return false
		}
		glob, parts = glob[1:], parts[1:]
	}
	return len(parts) == 0
}
