package lang_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/review/ir"
	"github.com/ringfence-go/ringfence/review/lang"
)

// The oracles print "= path" for each file that they can read, and then "line name"
// for each call in it, as the language's own parser sees it; the line is that of the
// name.
const (
	pythonOracle = `
import ast, sys
for path in sys.argv[1:]:
    try: tree = ast.parse(open(path, encoding="utf-8").read())
    except (SyntaxError, ValueError): continue
    print("=", path)
    for n in ast.walk(tree):
        if isinstance(n, ast.Call):
            if isinstance(n.func, ast.Attribute): print(n.func.end_lineno, n.func.attr)
            elif isinstance(n.func, ast.Name): print(n.func.lineno, n.func.id)
`
	nodeOracle = `
const acorn = require('internal/deps/acorn/acorn/dist/acorn');
function parse(src) {
  for (const sourceType of ['module', 'script']) {
    try { return acorn.parse(src, { ecmaVersion: 'latest', sourceType, locations: true, allowReturnOutsideFunction: true }); } catch (e) {}
  }
}
function walk(n) {
  if (!n || typeof n !== 'object') return;
  if (Array.isArray(n)) return n.forEach(walk);
  if (n.type === 'CallExpression') {
    const c = n.callee;
    if (c.type === 'Identifier') console.log(c.loc.start.line + ' ' + c.name);
    if (c.type === 'MemberExpression' && !c.computed && c.property.type === 'Identifier') console.log(c.property.loc.start.line + ' ' + c.property.name);
  }
  for (const k in n) if (k !== 'loc') walk(n[k]);
}
for (const path of process.argv.slice(1)) {
  const tree = parse(require('fs').readFileSync(path, 'utf8').replace(/^#!.*/, ''));
  if (tree) { console.log('= ' + path); walk(tree); }
}
`
)

// TestOracle compares the calls that two front-ends find with those that the
// languages' own parsers find, in the samples and, if REVIEW_ORACLE names a folder,
// in all files there.
func TestOracle(t *testing.T) {
	t.Parallel()
	for _, o := range []struct {
		language ir.Language
		program  string
		args     []string
	}{
		{ir.Python, "python3", []string{"-c", pythonOracle}},
		{ir.JavaScript, "node", []string{"--expose-internals", "-e", nodeOracle}},
	} {
		t.Run(string(o.language), func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(o.program)
			switch {
			case err != nil && o.language == ir.Python && os.Getenv("CI") == "true":
				t.Fatalf("%s is not installed; make servers installs it", o.program)
			case err != nil:
				t.Skipf("install %s to compare with its own parser", o.program)
			}
			both, missed, extra, files := 0, 0, 0, 0
			out, err := exec.CommandContext(t.Context(), program, append(o.args, oracleFiles(o.language)...)...).Output()
			if err != nil {
				t.Fatalf("%s: %v", o.program, err)
			}
			for _, part := range strings.Split("\n"+string(out), "\n= ")[1:] {
				path, calls, _ := strings.Cut(part, "\n")
				b, m, e := compare(t, path, []byte(calls))
				both, missed, extra, files = both+b, missed+m, extra+e, files+1
			}
			switch {
			case files == 0 && o.language == ir.JavaScript: // a node without the parser that it has inside as a rule
				t.Skipf("%s reads none of the files", o.program)
			case files == 0:
				t.Fatalf("%s reads none of the files", o.program)
			}
			t.Logf("%d files: %d calls alike, %d missed, %d of our own", files, both, missed, extra)
			if missed*50 > both || extra*50 > both {
				t.Errorf("of %d calls %d are missed and %d are made up: more than one in fifty", both, missed, extra)
			}
		})
	}
}

func oracleFiles(language ir.Language) (paths []string) {
	for _, root := range []string{"../rules/testdata", os.Getenv("REVIEW_ORACLE")} {
		if root == "" {
			continue
		}
		_ = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() && lang.Of(path, nil) == language && !strings.HasSuffix(path, ".ts") && !strings.Contains(path, ".min.") && len(paths) < 400 {
				paths = append(paths, path)
			}
			return nil
		})
	}
	return paths
}

func compare(t *testing.T, path string, oracle []byte) (both, missed, extra int) {
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ours := map[string]int{}
	f := lang.Parse(lang.Of(path, src), path, src)
	seen := map[*ir.Expr]bool{}
	for _, fn := range f.Funcs {
		count := func(e *ir.Expr) bool {
			if name := e.Method(); e.Kind == ir.Call && name != "" && name != "yield" && !seen[e] {
				seen[e] = true
				line, _ := f.Position(e.X.End - 1)
				ours[fmt.Sprint(line, " ", strings.TrimPrefix(name, "#"))]++
			}
			return true
		}
		ir.EachExpr(fn.Body, count)
		for _, m := range fn.Marks {
			m.Each(count)
		}
		for _, p := range fn.Params {
			p.Value.Each(count)
		}
	}
	for _, c := range f.Classes {
		for _, field := range c.Fields {
			field.Value.Each(func(e *ir.Expr) bool { return countInto(ours, f, e) })
		}
		for _, m := range c.Marks {
			m.Each(func(e *ir.Expr) bool { return countInto(ours, f, e) })
		}
	}
	for s := bufio.NewScanner(bytes.NewReader(oracle)); s.Scan(); {
		if ours[s.Text()] > 0 {
			ours[s.Text()]--
			both++
		} else {
			missed++
			if testing.Verbose() && missed < 4 {
				t.Logf("%s:%s is missed", path, s.Text())
			}
		}
	}
	for _, n := range ours {
		extra += n
	}
	return both, missed, extra
}

func countInto(ours map[string]int, f *ir.File, e *ir.Expr) bool {
	if name := e.Method(); e.Kind == ir.Call && name != "" {
		line, _ := f.Position(e.X.End - 1)
		ours[fmt.Sprint(line, " ", name)]++
	}
	return true
}
