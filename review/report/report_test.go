package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/review/report"
	"github.com/ringfence-go/ringfence/review/rules"
	"github.com/ringfence-go/ringfence/review/runner"
)

// fixable has an edit in it, behind characters of more than one byte.
const fixable = `import Redlock from 'redlock';
const redlock = new Redlock([]);
export async function f() {
  const lock = await redlock.acquire(['x'], 5000);
  try { await work('é€'); } finally { lock.release(); }
}
`

const source = `redis.setnx("lock:a b", 1)
work
redis.del("lock:a b")
`

func result(t *testing.T) *runner.Result {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"a b.rb": source, "sub/c d.mjs": fixable} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r, err := runner.Run(t.Context(), &runner.Options{Dir: dir, Rules: rules.All, Paths: []string{".", "absent"}})
	if err != nil || len(r.Findings) < 2 || len(r.Problems) != 1 {
		t.Fatalf("got %+v, %v", r, err)
	}
	return r
}

func TestText(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := report.Text(&b, result(t)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a b.rb:3:7: ", "[unchecked-release]\n", "    fix: ", "    a b.rb:1: taken here\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s lacks %q", b.String(), want)
		}
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := report.JSON(&b, result(t)); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Findings []map[string]any `json:"findings"`
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for _, f := range got.Findings {
		for _, key := range []string{"path", "line", "column", "rule", "number", "message", "confidence", "fix"} {
			if f[key] == nil || f[key] == "" {
				t.Errorf("%v lacks %s", f, key)
			}
		}
	}
	b.Reset()
	if err := report.JSON(&b, &runner.Result{}); err != nil || !strings.Contains(b.String(), `"findings": []`) {
		t.Errorf("nothing found is %s: %v", b.String(), err)
	}
}
