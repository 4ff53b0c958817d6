package runner

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lock"
)

// A pkg is what is known of a unit that is a package of Go.
type pkg struct {
	path    string  // its import path
	module  string  // that of its module
	root    string  // the folder of its module
	needs   []*unit // the packages of the module that it imports
	quiet   bool    // it was not asked for: others call it
	wanted  bool    // it is looked at: it may have to do with locks, or one that has calls it
	outline *lock.Outline
	done    chan struct{} // is closed when the outline is there, or never will be
}

// packages finds out which packages import which, and returns the units so that each
// comes after those that it imports. Packages of the same module that are imported,
// but were not asked for, are added: they are read to follow calls, and not reported.
func (r *run) packages(units []*unit) (ordered []*unit) {
	p := &packager{run: r, roots: map[string]module{}, byPath: map[string]*unit{}, imports: map[*unit][]string{}}
	for _, u := range units {
		u.done = make(chan struct{})
		if u.language == ir.Go {
			p.read(u)
		}
	}
	for i := 0; i < len(p.units); i++ { // what is imported imports others
		u := p.units[i]
		for _, path := range p.imports[u] {
			if need := p.imported(u, path); need != nil && need != u {
				u.needs = append(u.needs, need)
			}
		}
	}
	p.want()
	seen := map[*unit]bool{}
	for _, u := range append(p.units, units...) {
		ordered = u.after(seen, ordered)
	}
	return ordered
}

// after adds a unit behind those that it needs. A circle, which the compiler refuses,
// is cut where it closes.
func (u *unit) after(seen map[*unit]bool, list []*unit) []*unit {
	if seen[u] {
		return list
	}
	seen[u] = true
	for _, need := range u.needs {
		list = need.after(seen, list)
	}
	u.needs = slices.DeleteFunc(u.needs, func(n *unit) bool { return !slices.Contains(list, n) })
	return append(list, u)
}

type module struct{ path, root string }

type packager struct {
	*run
	roots   map[string]module // by folder
	byPath  map[string]*unit
	units   []*unit // the packages, in the order in which they were found
	imports map[*unit][]string
}

// read notes what a unit imports, and whether anything in it hints at a lock.
func (p *packager) read(u *unit) {
	m := p.moduleOf(u.dir)
	u.module, u.root = m.path, m.root
	if m.path != "" {
		u.path = importPath(m, u.dir)
		p.byPath[u.path] = u
	}
	p.units = append(p.units, u)
	for _, name := range u.paths {
		info, err := os.Stat(name)
		if err != nil || info.Size() > p.MaxSize {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		u.wanted = u.wanted || (p.Strict || !isTest(name)) && Triggers(src)
		if m.path != "" && !strings.HasSuffix(name, "_test.go") && bytes.Contains(src, []byte(m.path)) {
			p.imports[u] = append(p.imports[u], importsOf(src, m.path)...)
		}
	}
}

// importsOf are the packages of a module that a file imports.
func importsOf(src []byte, module string) (list []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "", src, parser.ImportsOnly)
	if file == nil || err != nil && len(file.Imports) == 0 {
		return nil
	}
	for _, i := range file.Imports {
		if path, err := strconv.Unquote(i.Path.Value); err == nil && (path == module || strings.HasPrefix(path, module+"/")) {
			list = append(list, path)
		}
	}
	return list
}

func importPath(m module, dir string) string {
	rel, err := filepath.Rel(m.root, dir)
	if err != nil {
		return ""
	}
	return path.Join(m.path, filepath.ToSlash(rel))
}

// imported is the package of a path, which is read if it was not asked for.
func (p *packager) imported(by *unit, path string) *unit {
	if u := p.byPath[path]; u != nil {
		return u
	}
	p.byPath[path] = nil
	dir := filepath.Join(by.root, filepath.FromSlash(strings.TrimPrefix(path, by.module)))
	if p.moduleOf(dir).root != by.root {
		return nil // it belongs to another module
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		return nil
	}
	u := &unit{dir: dir, language: ir.Go}
	u.quiet, u.done = true, make(chan struct{})
	for _, name := range names {
		if head, err := readHead(name); err == nil && !strings.HasSuffix(name, "_test.go") && !isGenerated(head) {
			u.paths = append(u.paths, name)
		}
	}
	p.read(u)
	return u
}

// moduleOf finds the module that a folder belongs to; an empty one if it is in none.
func (p *packager) moduleOf(dir string) module {
	if m, ok := p.roots[dir]; ok {
		return m
	}
	var m module
	if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
		m = module{moduleName(text), dir}
	} else if up := filepath.Dir(dir); up != dir {
		m = p.moduleOf(up)
	}
	p.roots[dir] = m
	return m
}

func moduleName(gomod []byte) string {
	for line := range strings.Lines(string(gomod)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			name, _, _ = strings.Cut(name, "//")
			return strings.Trim(strings.TrimSpace(name), "\"`")
		}
	}
	return ""
}

// want marks what has to be looked at: what hints at a lock, what imports that, and
// what either of them imports.
func (p *packager) want() {
	var mark []*unit
	for _, u := range p.units {
		if u.wanted || slices.ContainsFunc(u.needs, func(n *unit) bool { return n.wanted }) {
			mark = append(mark, u)
		}
	}
	for len(mark) > 0 {
		u := mark[len(mark)-1]
		mark = mark[:len(mark)-1]
		for _, n := range u.needs {
			if !n.wanted {
				n.wanted = true
				mark = append(mark, n)
			}
		}
		u.wanted = true
	}
}

// known are the outlines of what a unit imports, directly or not. It waits until
// they are there.
func (u *unit) known() map[string]*lock.Outline {
	list := map[string]*lock.Outline{}
	u.collect(list)
	return list
}

func (u *unit) collect(list map[string]*lock.Outline) {
	for _, n := range u.needs {
		if _, seen := list[n.path]; seen {
			continue
		}
		<-n.done
		list[n.path] = n.outline
		n.collect(list)
	}
}
