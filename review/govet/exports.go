package govet

import (
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
)

// exports are the types that packages of one build import, as the compiler wrote them
// down. They are read once for all packages, and forgotten when they have become many.
type exports struct {
	mu      sync.Mutex
	current *universe
}

// A universe has one types.Package for each import path, so that its types can be
// compared. A package is checked in one universe alone.
type universe struct {
	mu       sync.Mutex
	compiler types.Importer
	file     string // what the compiler wrote of the package that is being read
	size     int    // of what was read, in bytes
}

// maxUniverse bounds what is read into one universe, in bytes of export data. This
// project's 400 dependencies have 23 MiB of it, those of Kubernetes' client 46 MiB.
const maxUniverse = 32 << 20

func newUniverse() *universe {
	u := &universe{}
	u.compiler = importer.ForCompiler(token.NewFileSet(), "gc", func(string) (io.ReadCloser, error) {
		f, err := os.Open(u.file)
		return counted{f, &u.size}, err
	})
	return u
}

// counted adds up how much is read: of a file with a package's code, no more than what
// is exported.
type counted struct {
	*os.File
	size *int
}

func (c counted) Read(to []byte) (int, error) {
	n, err := c.File.Read(to)
	*c.size += n
	return n, err
}

// importer is for the check of one package.
func (e *exports) importer(p *packages.Package) types.Importer {
	if variant(p) {
		return imports{newUniverse(), p} // the packages of a test are not those that others import
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.current == nil || e.current.full() {
		e.current = newUniverse()
	}
	return imports{e.current, p}
}

// variant reports whether a package imports any that was compiled for a test.
func variant(p *packages.Package) bool {
	for _, need := range p.Imports {
		if strings.Contains(need.ID, " [") {
			return true
		}
	}
	return false
}

func (u *universe) full() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.size > maxUniverse
}

// imports are what one package imports.
type imports struct {
	*universe
	by *packages.Package
}

func (i imports) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	p := i.by.Imports[path]
	switch {
	case p == nil:
		return nil, fmt.Errorf("there is no package %s here", path)
	case p.ExportFile != "":
		return i.read(p)
	case len(p.Errors) > 0:
		return nil, errors.New(gist(p.Errors[0].Msg))
	}
	return nil, fmt.Errorf("package %s can't be compiled here", path)
}

func (u *universe) read(p *packages.Package) (*types.Package, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.file = p.ExportFile
	return u.compiler.Import(p.PkgPath)
}
