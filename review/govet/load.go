package govet

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/ringfence-go/ringfence/review/runner"
)

// Load asks the go command how the packages of folders are built, which compiles what
// they import unless its cache has it, and returns what reads them with their types.
// The go command is kept from downloading anything, and from running cgo on anything
// but the standard library. A folder that does not type-check is left to be read by
// its syntax, and why says so.
func Load(ctx context.Context, dirs []string, tests bool) runner.TypedFolder {
	l := &loaded{folders: map[string]*folder{}}
	for b, list := range l.builds(dirs) {
		l.list(ctx, b, list, tests)
	}
	return l.read
}

// loaded is what the go command has told. It does not change while folders are read.
type loaded struct {
	folders map[string]*folder
}

// A folder has the packages of a folder: one, and those of its tests.
type folder struct {
	packages []*packages.Package
	exports  *exports
	why      string // it can't be read with types
}

func (l *loaded) folder(dir string) *folder {
	f := l.folders[dir]
	if f == nil {
		f = &folder{}
		l.folders[dir] = f
	}
	return f
}

// builds puts the folders under the builds that they belong to.
func (l *loaded) builds(dirs []string) map[build][]string {
	byBuild, byRoot := map[build][]string{}, map[string]build{}
	for _, d := range dirs {
		root := above(d, "go.mod")
		if root == "" {
			l.folder(d).why = "it belongs to no module"
			continue
		}
		b, ok := byRoot[root]
		if !ok {
			b = buildOf(root)
			byRoot[root] = b
		}
		byBuild[b] = append(byBuild[b], d)
	}
	return byBuild
}

const (
	patience = 5 * time.Minute // with the go command, which may have to compile what is imported
	atOnce   = 150             // so many folders fit on a command line, on Windows too
)

// list asks for the packages of one build.
func (l *loaded) list(ctx context.Context, b build, dirs []string, tests bool) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cfg := &packages.Config{
		Context: ctx, Dir: b.dir, Tests: tests, Env: b.env(),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule | packages.NeedExportFile,
	}
	if usesC(ctx, b, dirs, tests) {
		cfg.Env = append(cfg.Env, "CGO_ENABLED=0")
	}
	list, err := packages.Load(cfg, dirs...)
	if err != nil {
		for _, d := range dirs {
			l.folder(d).why = err.Error()
		}
		return
	}
	exports := &exports{}
	for _, p := range list {
		if len(p.GoFiles) == 0 {
			continue
		}
		f := l.folder(filepath.Dir(p.GoFiles[0]))
		f.exports = exports
		f.packages = append(f.packages, p)
		if len(p.Errors) > 0 && f.why == "" {
			f.why = broken(p.Errors[0].Msg)
		}
	}
}

// usesC reports whether cgo would be run on packages that are not of the standard
// library. Where it would not, it stays as it is: what was compiled with other settings
// is of no use to the next build, here and in the hands of whoever starts it.
func usesC(ctx context.Context, b build, dirs []string, tests bool) bool {
	for some := range slices.Chunk(dirs, atOnce) {
		args := []string{"list", "-e", "-deps", "-f", "{{if or (not .Standard) (not .DepOnly)}}{{if or .CgoFiles .SwigFiles .SwigCXXFiles}}C{{end}}{{end}}"}
		if tests {
			args = append(args, "-test")
		}
		cmd := exec.CommandContext(ctx, "go", append(append(args, "--"), some...)...)
		cmd.Dir, cmd.Env = b.dir, b.env()
		if out, err := cmd.Output(); err != nil || len(bytes.TrimSpace(out)) > 0 {
			return true
		}
	}
	return false
}

// broken says why a folder is read by its syntax.
func broken(text string) string { return "it does not type-check here: " + gist(text) }

// gist is the first line that tells anything: the compiler names the package before it.
func gist(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "# ") {
			return line
		}
	}
	return strings.TrimSpace(text)
}

// above is the nearest folder, the given one or one above it, that has a file of a
// name; "" if none has.
func above(dir, name string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, name)); err == nil {
			return d
		}
		if d == filepath.Dir(d) {
			return ""
		}
	}
}
