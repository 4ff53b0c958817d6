package govet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang/golang"
)

// Load reads the Go files of folders with their types. It asks the go command, which
// is kept from downloading anything and from running cgo. A folder that does not
// type-check is left to be read by its syntax, and why says so.
func Load(ctx context.Context, dirs []string, tests bool) (files map[string]*ir.File, why map[string]string) {
	files, why = map[string]*ir.File{}, map[string]string{}
	for root, list := range modules(dirs, why) {
		for some := range slices.Chunk(list, atOnce) {
			load(ctx, root, some, tests, files, why)
		}
	}
	return files, why
}

// modules puts the folders under the modules that they belong to.
func modules(dirs []string, why map[string]string) map[string][]string {
	byRoot := map[string][]string{}
	for _, d := range dirs {
		abs, err := filepath.Abs(d)
		if err != nil {
			continue
		}
		if root := moduleRoot(abs); root != "" {
			byRoot[root] = append(byRoot[root], abs)
		} else {
			why[d] = "it belongs to no module"
		}
	}
	return byRoot
}

func moduleRoot(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "go.mod")); err == nil {
			return d
		}
		if d == filepath.Dir(d) {
			return ""
		}
	}
}

const (
	patience = 2 * time.Minute // with the go command, which may have to compile what is imported
	atOnce   = 200             // so many packages are in memory with their types
)

func load(ctx context.Context, root string, dirs []string, tests bool, files map[string]*ir.File, why map[string]string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cfg := &packages.Config{
		Context: ctx, Dir: root, Tests: tests,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedExportFile,
		Env:  append(os.Environ(), "GOPROXY=off", "GOTOOLCHAIN=local", "CGO_ENABLED=0", "GOFLAGS=-mod=readonly -buildvcs=false", "GOVCS=*:off"),
	}
	list, err := packages.Load(cfg, dirs...)
	if err != nil {
		for _, d := range dirs {
			why[d] = err.Error()
		}
		return
	}
	for _, p := range list {
		take(p, files, why)
	}
}

// take lowers the files of a package, or says why it can't.
func take(p *packages.Package, files map[string]*ir.File, why map[string]string) {
	if len(p.Errors) > 0 || p.IllTyped {
		if len(p.GoFiles) > 0 && len(p.Errors) > 0 {
			text, _, _ := strings.Cut(p.Errors[0].Msg, "\n")
			why[filepath.Dir(p.GoFiles[0])] = fmt.Sprintf("it does not type-check here: %s", text)
		}
		return
	}
	for _, f := range p.Syntax {
		name := p.Fset.PositionFor(f.Pos(), false).Filename
		if files[name] != nil || !strings.HasSuffix(name, ".go") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		files[name] = golang.Lower(p.Fset, f, src, p.TypesInfo)
	}
}
