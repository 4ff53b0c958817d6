package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// source is one file of the checkout, with its path from the root.
type source struct {
	path string
	text string
}

func (s source) dir() string  { return path.Dir(s.path) }
func (s source) isGo() bool   { return strings.HasSuffix(s.path, ".go") }
func (s source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

// sources reads every file that people write, except what lies in folders whose
// content isn't ours to judge.
func sources(fsys fs.FS) (found []source) {
	walk(fsys, func(name string) {
		switch path.Ext(name) {
		case ".go", ".sql", ".lua", ".sh", ".mod", ".work":
			text, err := fs.ReadFile(fsys, name)
			if err != nil {
				panic(err)
			}
			found = append(found, source{path: name, text: string(text)})
		}
	})
	return found
}

func walk(fsys fs.FS, visit func(name string)) {
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			visit(name)
		case name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata" || name == "bin"):
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
}

// parse reads the file as Go. The compiler says what is wrong with a file that
// isn't, so such a file counts as empty here.
func (s source) parse() *ast.File {
	file, err := parser.ParseFile(token.NewFileSet(), s.path, s.text, parser.SkipObjectResolution)
	if err != nil {
		return &ast.File{Name: ast.NewIdent("_")}
	}
	return file
}

func (s source) imports() (paths []string) {
	for _, spec := range s.parse().Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			paths = append(paths, imported)
		}
	}
	return paths
}

// uses reports whether the file mentions a name of another package, under the
// name by which it imports that package.
func (s source) uses(imported, name string) bool {
	file := s.parse()
	i := slices.IndexFunc(file.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == strconv.Quote(imported) })
	if i < 0 {
		return false
	}
	local := path.Base(imported)
	if file.Imports[i].Name != nil {
		local = file.Imports[i].Name.Name
	}
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok && selector.Sel.Name == name {
			x, ok := selector.X.(*ast.Ident)
			found = found || ok && x.Name == local
		}
		return !found
	})
	return found
}
