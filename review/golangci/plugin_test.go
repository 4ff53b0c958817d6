package golangci

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"
)

func analyzer(t *testing.T) *analysis.Analyzer {
	t.Helper()
	make, err := register.GetPlugin("ringfence")
	if err != nil {
		t.Fatal(err)
	}
	p, err := make(nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := p.BuildAnalyzers()
	if err != nil || len(list) != 1 || list[0].Name != "ringfence" || p.GetLoadMode() != register.LoadModeTypesInfo {
		t.Fatalf("got %v, %v, %s", list, err, p.GetLoadMode())
	}
	return list[0]
}

const unsafe = `package job

import (
	"context"

	"github.com/redis/go-redis/v9"
)

func Run(ctx context.Context, db *redis.Client) {
	if ok, err := db.SetNX(ctx, "lock:job", "1", 0).Result(); err != nil || !ok {
		return
	}
	work()
	db.Del(ctx, "lock:job")
}
`

// pass is what golangci-lint makes of a package, but for the types.
func pass(t *testing.T, path, name string, report func(analysis.Diagnostic)) *analysis.Pass {
	t.Helper()
	fset := token.NewFileSet()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(unsafe), 0o644); err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(fset, name, unsafe, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return &analysis.Pass{
		Fset: fset, Files: []*ast.File{file}, Pkg: types.NewPackage(path, "job"),
		TypesInfo: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}},
		Module:    &analysis.Module{}, ReadFile: os.ReadFile, Report: report,
		AllPackageFacts:   func() []analysis.PackageFact { return nil },
		ExportPackageFact: func(f analysis.Fact) {},
	}
}

func TestRelatedPlacesStandInTheText(t *testing.T) {
	t.Parallel()
	var got []string
	p := pass(t, "example.test/job", filepath.Join(t.TempDir(), "job.go"), func(d analysis.Diagnostic) {
		if got = append(got, d.Message); len(d.Related) > 0 {
			t.Errorf("%q has related places: %v", d.Message, d.Related)
		}
	})
	if _, err := analyzer(t).Run(p); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(got, "\n"), "; line 10: taken here [unchecked-release]") {
		t.Errorf("got %q", got)
	}
}

// TestStandardLibraryIsNotFollowed leaves alone a package that golangci-lint puts into a
// module without a name.
func TestStandardLibraryIsNotFollowed(t *testing.T) {
	t.Parallel()
	p := pass(t, "database/sql", filepath.Join(t.TempDir(), "src", "database", "sql", "job.go"), func(d analysis.Diagnostic) { t.Error(d.Message) })
	p.ExportPackageFact = func(f analysis.Fact) { t.Errorf("it tells others of %v", f) }
	if _, err := analyzer(t).Run(p); err != nil {
		t.Fatal(err)
	}
}
