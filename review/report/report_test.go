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

const source = `redis.setnx("lock:a b", 1)
work
redis.del("lock:a b")
`

func result(t *testing.T) *runner.Result {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a b.rb"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
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

// TestSARIF checks what the schema of SARIF 2.1.0 requires of the parts that are
// used, and what code scanning asks for beyond.
func TestSARIF(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := report.SARIF(&b, result(t), rules.All); err != nil {
		t.Fatal(err)
	}
	var log map[string]any
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log["version"] != "2.1.0" || !strings.Contains(log["$schema"].(string), "sarif-2.1.0") {
		t.Errorf("got %v %v", log["version"], log["$schema"])
	}
	run := log["runs"].([]any)[0].(map[string]any)
	driver := run["tool"].(map[string]any)["driver"].(map[string]any)
	list := driver["rules"].([]any)
	if driver["name"] != "ringfence-review" || len(list) != len(rules.All)+1 {
		t.Errorf("%v has %d rules", driver["name"], len(list))
	}
	invocation := run["invocations"].([]any)[0].(map[string]any)
	if invocation["executionSuccessful"] != false || len(invocation["toolExecutionNotifications"].([]any)) != 1 {
		t.Errorf("what could not be reviewed is not said: %v", invocation)
	}
	for _, x := range run["results"].([]any) {
		checkResult(t, x.(map[string]any), list)
	}
}

func checkResult(t *testing.T, r map[string]any, list []any) {
	t.Helper()
	index := int(r["ruleIndex"].(float64))
	if list[index].(map[string]any)["id"] != r["ruleId"] {
		t.Errorf("ruleIndex %d is not %v", index, r["ruleId"])
	}
	if level := r["level"]; level != "note" && level != "warning" && level != "error" {
		t.Errorf("level is %v", level)
	}
	if r["message"].(map[string]any)["text"] == "" || r["partialFingerprints"].(map[string]any)["primaryLocationLineHash"] == "" {
		t.Errorf("%v lacks a message or a fingerprint", r)
	}
	physical := r["locations"].([]any)[0].(map[string]any)["physicalLocation"].(map[string]any)
	if uri := physical["artifactLocation"].(map[string]any)["uri"]; uri != "a%20b.rb" {
		t.Errorf("uri is %v", uri)
	}
	if region := physical["region"].(map[string]any); region["startLine"].(float64) < 1 || region["startColumn"].(float64) < 1 {
		t.Errorf("region is %v", region)
	}
}
