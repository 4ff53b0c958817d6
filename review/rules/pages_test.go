package rules_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/review/rules"
)

var update = flag.Bool("update", false, "write docs/review")

const pages = "../../docs/review"

// TestPages keeps docs/review to what the rules say of themselves.
func TestPages(t *testing.T) {
	t.Parallel()
	want := map[string]string{"README.md": index()}
	for _, r := range rules.All {
		want[r.Name+".md"] = r.Page()
	}
	for name, text := range want {
		path := filepath.Join(pages, name)
		if *update {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != text {
			t.Errorf("%s is not what the rule says: go generate ./rules (%v)", path, err)
		}
	}
	entries, err := os.ReadDir(pages)
	if err != nil || len(entries) != len(want) {
		t.Errorf("%s has %d files, want %d: %v", pages, len(entries), len(want), err)
	}
}

func index() string {
	var b strings.Builder
	b.WriteString(usage)
	b.WriteString("| | rule | finds |\n|---|---|---|\n")
	for _, r := range rules.All {
		fmt.Fprintf(&b, "| %d | [%s](%s.md) | %s |\n", r.Number, r.Name, r.Name, r.Summary)
	}
	return b.String()
}

const usage = `# The reviewer

` + "`ringfence review [PATH...]`" + ` finds locks that are taken, held or given back so that two holders
can work at once, in Go, Python, JavaScript, TypeScript, Java, Ruby, PHP, Lua, shell and SQL. It never runs,
imports or downloads what it reviews. It hands over to ` + "`ringfence-review`" + `, a program of its own, which it looks for
beside itself and in PATH: ` + "`make build`" + ` builds both, ` + "`go install github.com/ringfence-go/ringfence/review/cmd/ringfence-review@latest`" + `
the second one alone.

| | |
|---|---|
| exit status | 0 clean, 1 findings, 2 something could not be reviewed (and which) |
| ` + "`--output text, json, sarif`" + ` | for people, for programs, for code scanning |
| ` + "`--strict`" + ` | also what depends on code that is not seen, and what tests do |
| ` + "`--diff BASE`" + ` | only lines that changed since a commit |
| ` + "`--write-baseline FILE`, `--baseline FILE`" + ` | only what is new |
| ` + "`--fix`" + ` | the changes that are mechanical |
| ` + "`rules [RULE]`" + ` | the pages below |

A finding is suppressed on its line, or on the line above, with a reason:
` + "`//ringfence:ignore unchecked-release because the key is only a hint`" + `, in each language's own comment.
A suppression without a reason does not count, and is a finding itself. A project's settings stand in
` + "`.ringfence-review.json`: `{\"disable\": [], \"exclude\": [], \"strict\": false, \"baseline\": \"\"}`" + `.

Go is read with its types where it type-checks, and a lock that is wrapped in another package of the module is followed; ` + "`go vet -vettool=$(which ringfence-review)`" + ` runs the same rules,
and ` + "`review/golangci`" + ` is a module plugin of golangci-lint, which wants ` + "`issues.uniq-by-line: false`" + ` to show two faults of one line.

[reviewer-cost.md](../reviewer-cost.md) says what a review costs, [reviewer-recall.md](../reviewer-recall.md) how much one finds.

## Rules

`

// TestDocs keeps each rule's document complete.
func TestDocs(t *testing.T) {
	t.Parallel()
	for _, r := range rules.All {
		for _, part := range []string{"## What goes wrong\n", "## Before\n", "## After\n", "## The excuse, and its answer\n"} {
			if !strings.Contains(r.Doc, part) {
				t.Errorf("%s: its document lacks %q", r.Name, part)
			}
		}
		if rules.Named(r.Name) != r || rules.Named(fmt.Sprint(r.Number)) != r || r.Summary == "" {
			t.Errorf("%s is not found by its name and number", r.Name)
		}
	}
}
