package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const unsafe = "def f(r):\n    if r.set('lock:x', '1', nx=True, ex=60):\n        try:\n            work()\n        finally:\n            r.delete('lock:x')\n"

func call(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = Main(t.Context(), args, &out, &err)
	return code, out.String(), err.String()
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	bad, clean := writeFile(t, "a.py", unsafe), writeFile(t, "a.py", "x = 1\n")
	for _, c := range []struct {
		want int
		args []string
	}{
		{Clean, []string{clean}},
		{Found, []string{bad}},
		{Found, []string{bad, "--output", "json"}},
		{Found, []string{"--output=sarif", bad}},
		{Clean, []string{bad, "--disable", "unchecked-release,18,19"}},
		{Unviewed, []string{bad + "absent"}},
		{Unviewed, []string{bad, bad + "absent"}},
		{Unviewed, []string{"--output", "xml", bad}},
		{Unviewed, []string{"--disable", "nothing", bad}},
		{Unviewed, []string{"--unknown", bad}},
		{Unviewed, []string{"--baseline", bad + "absent", bad}},
		{Clean, []string{"--help"}},
		{Clean, []string{"rules"}},
		{Clean, []string{"rules", "fail-open", "4"}},
		{Unviewed, []string{"rules", "nothing"}},
	} {
		if code, out, err := call(t, c.args...); code != c.want {
			t.Errorf("%v: exit %d, want %d\n%s%s", c.args, code, c.want, out, err)
		}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	_, list, _ := call(t, "rules")
	if strings.Count(list, "\n") != 20 || !strings.Contains(list, " 1  unchecked-release ") {
		t.Errorf("got %s", list)
	}
	_, page, _ := call(t, "rules", "7")
	for _, want := range []string{"# 7. unbounded-work", "## Before", "It never takes that long."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestBaselineFile(t *testing.T) {
	t.Parallel()
	bad := writeFile(t, "a.py", unsafe)
	file := filepath.Join(t.TempDir(), "baseline.json")
	if code, _, err := call(t, "--write-baseline", file, bad); code != Clean {
		t.Fatalf("exit %d: %s", code, err)
	}
	if code, out, err := call(t, "--baseline", file, bad); code != Clean || out != "" {
		t.Errorf("exit %d: %s%s", code, out, err)
	}
}
