package e2e

import (
	"os"
	"strings"
	"testing"
)

// TestReadmeSnippetsCompile holds the README's Go against the example that is
// compiled and run: each of its lines stands there, in this order.
func TestReadmeSnippetsCompile(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(readme), "```go\n")
	snippet, _, end := strings.Cut(rest, "```")
	if !ok || !end {
		t.Fatal("the README has no Go")
	}
	left := string(source)
	for line := range strings.Lines(snippet) {
		line = strings.TrimSpace(line)
		_, after, found := strings.Cut(left, line)
		if !found {
			t.Errorf("the README says %q, the example does not at that place", line)
			continue
		}
		left = after
	}
}
