package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ringfence-go/ringfence/review/report"
	"github.com/ringfence-go/ringfence/review/rule"
	"github.com/ringfence-go/ringfence/review/rules"
	"github.com/ringfence-go/ringfence/review/runner"
)

// schema is what OASIS and code scanning ask of a log. It needs no network.
var schema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	for url, name := range map[string]string{
		"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json": "sarif-schema-2.1.0.json",
		"https://ringfence.test/code-scanning.json":                                                  "code-scanning.json",
	} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			return nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		if err := c.AddResource(url, doc); err != nil {
			return nil, err
		}
	}
	return c.Compile("https://ringfence.test/code-scanning.json")
})

// valid tells what is wrong with a log.
func valid(t *testing.T, text []byte) error {
	t.Helper()
	s, err := schema()
	if err != nil {
		t.Fatal(err)
	}
	log, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(log)
}

func sarif(t *testing.T, r *runner.Result) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := report.SARIF(&b, r, rules.All); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// odd are names that a URI can't have as they are, each of a file with a fault in it.
var odd = []string{"a b.rb", "100%.rb", "c#d?.rb", "größe/日本.rb", "x/e:f.rb", "g:h.rb", "'\"&<>.rb"}

// oddly reviews files with odd names, with suppressions, and one that can't be read whole.
func oddly(t *testing.T) *runner.Result {
	t.Helper()
	files := map[string]string{
		"quiet.rb":  strings.Replace(source, "redis.del", "# ringfence:ignore all because a test says so\nredis.del", 1),
		"excuse.rb": strings.Replace(source, "redis.del", "# ringfence:ignore all\nredis.del", 1),
		"open.py":   "def broken(:\n  ((\nlock = 1\n",
	}
	dir := t.TempDir()
	for _, name := range odd {
		files[name] = source
	}
	written := 0
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err == nil { // not every system has every name
			written++
		}
	}
	r, err := runner.Run(t.Context(), &runner.Options{Dir: dir, Rules: rules.All, Strict: true})
	if err != nil || len(r.Findings) < written-3 || len(r.Notes) == 0 {
		t.Fatalf("got %+v, %v", r, err)
	}
	if !slices.ContainsFunc(r.Findings, func(f runner.Finding) bool { return f.Rule == runner.Suppression }) {
		t.Error("a suppression without a reason is not found")
	}
	return r
}

func TestSARIFIsValid(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]*runner.Result{"findings, an edit, a path that is absent": result(t), "odd names, suppressions, notes": oddly(t), "nothing": {}} {
		if err := valid(t, sarif(t, r)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSARIFIsHeldToItsSchema breaks a log in ways that its readers refuse.
func TestSARIFIsHeldToItsSchema(t *testing.T) {
	t.Parallel()
	text := string(sarif(t, result(t)))
	for _, change := range [][2]string{
		{`"name": "ringfence-review",`, ``},
		{`"level": "warning"`, `"level": "bad"`},
		{`"startLine": `, `"startLine": -`},
		{`"version": "2.1.0"`, `"version": "2.1"`},
		{`"deletedRegion"`, `"deleted"`},
		{`"uri": "a%20b.rb"`, `"uri": "a b.rb"`},
		{`"uri": "a%20b.rb"`, `"uri": "/a%20b.rb"`},
		{`"primaryLocationLineHash"`, `"hash"`},
		{`"ruleIndex": `, `"index": `},
	} {
		if !strings.Contains(text, change[0]) {
			t.Fatalf("the log has no %s", change[0])
		}
		if valid(t, []byte(strings.Replace(text, change[0], change[1], 1))) == nil {
			t.Errorf("%q instead of %q is not noticed", change[1], change[0])
		}
	}
}

// The parts of a log that a test reads.
type log struct {
	Runs []struct {
		Tool struct {
			Driver struct{ Rules []struct{ ID string } }
		}
		Invocations []struct {
			ExecutionSuccessful        bool
			ToolExecutionNotifications []struct{ Level string }
		}
		Results []struct {
			RuleID    string
			RuleIndex int
			Locations []struct {
				PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
			}
		}
	}
}

func read(t *testing.T, text []byte) (out log) {
	t.Helper()
	if err := json.Unmarshal(text, &out); err != nil || len(out.Runs) != 1 || len(out.Runs[0].Invocations) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	return out
}

func TestSARIF(t *testing.T) {
	t.Parallel()
	run := read(t, sarif(t, result(t))).Runs[0]
	list := run.Tool.Driver.Rules
	if want := append([]*rule.Rule{runner.Suppression}, rules.All...); len(list) != len(want) {
		t.Errorf("there are %d rules, want %d", len(list), len(want))
	}
	if i := run.Invocations[0]; i.ExecutionSuccessful || len(i.ToolExecutionNotifications) != 1 || i.ToolExecutionNotifications[0].Level != "error" {
		t.Errorf("what could not be reviewed is not said: %v", i)
	}
	var uris []string
	for _, r := range run.Results {
		if list[r.RuleIndex].ID != r.RuleID {
			t.Errorf("ruleIndex %d is not %s", r.RuleIndex, r.RuleID)
		}
		uris = append(uris, r.Locations[0].PhysicalLocation.ArtifactLocation.URI)
	}
	if slices.Sort(uris); !slices.Equal(slices.Compact(uris), []string{"a%20b.rb", "sub/c%20d.mjs"}) {
		t.Errorf("got %q", uris)
	}
}

// TestSARIFNotes tells of what was reviewed less well, which fails nothing.
func TestSARIFNotes(t *testing.T) {
	t.Parallel()
	i := read(t, sarif(t, oddly(t))).Runs[0].Invocations[0]
	if !i.ExecutionSuccessful || len(i.ToolExecutionNotifications) == 0 || i.ToolExecutionNotifications[0].Level != "note" {
		t.Errorf("got %v", i)
	}
}

// TestSARIFFix counts the columns of an edit in characters.
func TestSARIFFix(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	if err := json.Compact(&text, sarif(t, result(t))); err != nil {
		t.Fatal(err)
	}
	column := len([]rune("  try { await work('é€'); } finally { ")) + 1
	want := fmt.Sprintf(`"replacements":[{"deletedRegion":{"startLine":5,"startColumn":%[1]d,"endLine":5,"endColumn":%[1]d},"insertedContent":{"text":"await "}}]`, column)
	if !strings.Contains(text.String(), want) {
		t.Errorf("the log lacks %s:\n%s", want, text.String())
	}
}
