package govet

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"runtime"

	"golang.org/x/tools/go/packages"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang/golang"
)

// read reads the files of a folder with their types, or says why it can't.
func (l *loaded) read(dir string, sources map[string][]byte) (files map[string]*ir.File, why string) {
	f := l.folders[dir]
	if f == nil || f.why != "" || len(f.packages) == 0 {
		if f != nil {
			why = f.why
		}
		return nil, why
	}
	defer func() {
		if x := recover(); x != nil {
			files, why = nil, fmt.Sprintf("its types can't be told: %v", x)
		}
	}()
	files = map[string]*ir.File{}
	for i := range f.packages {
		p := f.packages[len(f.packages)-1-i] // with its tests, before it is seen without them
		if err := check(p, f.exports, sources, files); err != nil {
			return files, broken(err.Error())
		}
	}
	return files, ""
}

// check reads the files of a package that have not been read as part of another one.
func check(p *packages.Package, e *exports, sources map[string][]byte, files map[string]*ir.File) error {
	fset := token.NewFileSet()
	var trees []*ast.File
	texts := map[*ast.File][]byte{}
	fresh := false
	for _, name := range p.GoFiles {
		src := sources[name]
		if src == nil {
			var err error
			if src, err = os.ReadFile(name); err != nil {
				return err
			}
		}
		tree, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		trees = append(trees, tree)
		texts[tree] = src
		fresh = fresh || files[name] == nil
	}
	if !fresh {
		return nil
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	cfg := &types.Config{Importer: e.importer(p), FakeImportC: true, Sizes: types.SizesFor("gc", runtime.GOARCH)}
	if p.Module != nil && p.Module.GoVersion != "" {
		cfg.GoVersion = "go" + p.Module.GoVersion
	}
	if _, err := cfg.Check(p.PkgPath, fset, trees, info); err != nil {
		return err
	}
	for _, tree := range trees {
		name := fset.File(tree.Pos()).Name()
		if files[name] == nil {
			files[name] = golang.Lower(fset, tree, texts[tree], info)
		}
	}
	return nil
}
