package stores

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "write the table of docs/stores/README.md anew")

// TestMain lets more cells run at once than there are processors: they mostly wait.
func TestMain(m *testing.M) {
	flag.Parse()
	_ = flag.Set("test.parallel", "8")
	os.Exit(m.Run())
}

const (
	pagePath = "../../../docs/stores/README.md"
	begin    = "<!-- what follows is written by go test ./internal/e2e/stores -update -->"
	end      = "<!-- end of what is written by go test ./internal/e2e/stores -update -->"
)

// row is one scenario of the table.
type row struct {
	id, what string
	own      bool // breaks its server
	// play plays the scenario and returns a word for the table; "" is "yes".
	play func(t *testing.T, s *site) string
}

// table is what came of the cells, by the ids of their rows and the names of
// their columns.
type table struct {
	mu    sync.Mutex
	cells map[[2]string]string
}

func (b *table) put(r row, c column, word string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cells[[2]string{r.id, c.name}] = word
}

// TestScenarios plays every row on every column, and compares the table.
func TestScenarios(t *testing.T) {
	b := &table{cells: map[[2]string]string{}}
	t.Run("on", func(t *testing.T) {
		for _, c := range columns {
			t.Run(c.name, func(t *testing.T) { t.Parallel(); b.playAll(t, c) })
		}
	})
	if len(b.cells) == len(rows)*len(columns) && !t.Failed() {
		b.compare(t)
	}
}

// playAll plays a column, or says why a cell of it can't be played: in parentheses.
func (b *table) playAll(t *testing.T, c column) {
	place := c.start(t)
	for _, r := range rows {
		if why, ok := c.lacks[r.id]; ok {
			b.put(r, c, "("+why+")")
			continue
		}
		t.Run(r.id, func(t *testing.T) {
			t.Parallel()
			word := cmp.Or(r.play(t, place(t, r.own || r.id == c.alone)), "yes")
			why, known := c.remains[r.id]
			switch {
			case known && word != repeats:
				t.Errorf("it %s, and the table says that a number can come again: %s", word, why)
			case known:
				word += "(" + why + ")"
			case word == repeats:
				t.Error("a number came again")
			}
			b.put(r, c, word)
		})
	}
}

// compare fails when the page differs from this run, or brings it up to date.
func (b *table) compare(t *testing.T) {
	page, err := os.ReadFile(pagePath)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(page), begin)
	written, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s lacks the line %q or %q", pagePath, begin, end)
	}
	now := "\n" + b.markdown()
	switch {
	case written == now:
	case *update:
		if err := os.WriteFile(pagePath, []byte(head+begin+now+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the table of %s is not what this run found; go test ./internal/e2e/stores -update writes it. It found:\n%s", pagePath, now)
	}
}

// markdown is the table, and the reasons below it.
func (b *table) markdown() string {
	var text strings.Builder
	text.WriteString("| scenario |")
	for _, c := range columns {
		fmt.Fprintf(&text, " [%s](%s) |", c.name, c.page)
	}
	text.WriteString("\n|---" + strings.Repeat("|---", len(columns)) + "|\n")
	var reasons []string
	for _, r := range rows {
		fmt.Fprintf(&text, "| %s %s |", r.id, r.what)
		for _, c := range columns {
			if word, reason, ok := strings.Cut(b.cells[[2]string{r.id, c.name}], "("); ok {
				reason = strings.TrimSuffix(reason, ")")
				if !slices.Contains(reasons, reason) {
					reasons = append(reasons, reason)
				}
				fmt.Fprintf(&text, " %s [%d](#reasons) |", cmp.Or(word, "–"), slices.Index(reasons, reason)+1)
			} else {
				fmt.Fprintf(&text, " %s |", word)
			}
		}
		text.WriteString("\n")
	}
	text.WriteString("\n### Reasons\n\n")
	for i, reason := range reasons {
		fmt.Fprintf(&text, "%d. %s\n", i+1, reason)
	}
	return text.String()
}
