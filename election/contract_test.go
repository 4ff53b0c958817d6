package election_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestClausesNameTheirTests keeps the clauses E01 and up of docs/contract.md and the tests
// of this package together.
func TestClausesNameTheirTests(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(text)
	}
	_, part, _ := strings.Cut(string(page), "# The contract of an election")
	clauses := strings.Split(part, "\n### E")[1:]
	for _, clause := range clauses {
		tests := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(clause, -1)
		for _, name := range tests {
			if !strings.Contains(code.String(), "func "+name[1]+"(") {
				t.Errorf("E%.2s names %s, which is gone", clause, name[1])
			}
		}
		if len(tests) == 0 {
			t.Errorf("E%.2s names no test", clause)
		}
	}
	if len(clauses) != 12 {
		t.Errorf("found %d clauses", len(clauses))
	}
}
