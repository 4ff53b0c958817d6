package govet

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"runtime"
	"slices"

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
			return files, broken(text(err))
		}
	}
	return files, ""
}

// text is an error without the folder, which is told beside it.
func text(err error) string {
	var e types.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	at := e.Fset.Position(e.Pos)
	return fmt.Sprintf("%s:%d: %s", filepath.Base(at.Filename), at.Line, e.Msg)
}

// A parsed file is one of a package, on its way through the type checker.
type parsedFile struct {
	name string
	src  []byte
	tree *ast.File
}

// check reads the files of a package that are asked for, and were not read as part of
// another one.
func check(p *packages.Package, e *exports, sources map[string][]byte, files map[string]*ir.File) error {
	wanted := func(name string) bool { return sources[name] != nil && files[name] == nil }
	if !slices.ContainsFunc(p.GoFiles, wanted) {
		return nil
	}
	fset := token.NewFileSet()
	var asked []parsedFile
	var trees []*ast.File
	size := 0
	for _, name := range p.GoFiles {
		f, err := parse(fset, name, sources[name])
		if err != nil {
			return err
		}
		if wanted(name) {
			asked = append(asked, f)
			size += len(f.src)
		} else if sources[name] == nil {
			declarations(f.tree)
		}
		trees = append(trees, f.tree)
	}
	info, err := typesOf(p, e, fset, trees, size)
	if err != nil {
		return err
	}
	for _, f := range asked {
		files[f.name] = golang.Lower(fset, f.tree, f.src, info)
		files[f.name].Path = f.name // whatever a line directive says
	}
	return nil
}

// parse parses a file, which it reads if there is no source of it.
func parse(fset *token.FileSet, name string, src []byte) (parsedFile, error) {
	mode := parser.SkipObjectResolution
	if src != nil {
		mode |= parser.ParseComments
	} else {
		var err error
		if src, err = os.ReadFile(name); err != nil {
			return parsedFile{}, err
		}
	}
	tree, err := parser.ParseFile(fset, name, src, mode)
	return parsedFile{name, src, tree}, err
}

// declarations takes the bodies out of the functions of a file that is not reviewed: a
// program wrote it, say, at length. What others need to know of it is all that is left.
func declarations(tree *ast.File) {
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			f.Body.List = nil
			if f.Type.Results != nil {
				f.Body = nil // an empty one would lack a return
			}
		}
	}
}

// typesOf checks a package. What is only superfluous, as an import that nothing uses,
// is no error.
func typesOf(p *packages.Package, e *exports, fset *token.FileSet, trees []*ast.File, size int) (*types.Info, error) {
	names := size / 20 // about as many as there will be
	info := &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue, names), Defs: make(map[*ast.Ident]types.Object, names/4),
		Uses: make(map[*ast.Ident]types.Object, names/2), Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	var first error
	cfg := &types.Config{
		Importer: e.importer(p), FakeImportC: true, Sizes: types.SizesFor("gc", runtime.GOARCH),
		Error: func(err error) {
			var e types.Error
			if first == nil && !(errors.As(err, &e) && e.Soft) {
				first = err
			}
		},
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		cfg.GoVersion = "go" + p.Module.GoVersion
	}
	cfg.Check(p.PkgPath, fset, trees, info) //nolint:errcheck // Error has been told of each
	return info, first
}
