package scenario

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../../.."

// applying are the scenarios that what exists today has to pass.
var applying = []string{
	"R01", "R02", "R03", "R04", "R06", "R07", "R08", "R09", "R10", "R12", "R13", "R16", "R19", "R20", "R21", "R23", "R26", "R27", "R29", "R30", "R32", "R34", "R36", "R37",
}

// record is one row of docs/track-record.md.
type record struct {
	id    string // or what failed, where there is none
	tests []named
}

// named is a test in a file: a function, or a clause of the stores' suite.
type named struct{ name, file string }

var (
	quoted = regexp.MustCompile("`([^`]+)`")
	clause = regexp.MustCompile(`^(C\d\d)_(\w+)$`)
)

// readRecords reads the rows of all tables in text. A test without a file of its
// own stands in the one that is named next.
func readRecords(text string) (all []record) {
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "|") || len(cells) != 3 || strings.HasPrefix(line, "|---") || strings.Contains(cells[2], "the test ") {
			continue
		}
		r := record{id: strings.TrimSpace(cells[0])}
		for _, q := range quoted.FindAllStringSubmatch(cells[2], -1) {
			if strings.HasSuffix(q[1], ".go") {
				for i := range r.tests {
					if r.tests[i].file == "" {
						r.tests[i].file = q[1]
					}
				}
				continue
			}
			r.tests = append(r.tests, named{name: q[1]})
		}
		all = append(all, r)
	}
	return all
}

// declared is the text with which a test stands in its file.
func (n named) declared() string {
	if c := clause.FindStringSubmatch(n.name); c != nil {
		return `{ID: "` + c[1] + `", Name: "` + c[2] + `"`
	}
	return "func " + n.name + "(t *testing.T)"
}

func (n named) exists() bool {
	source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(n.file)))
	return err == nil && strings.Contains(string(source), n.declared())
}

// TestTrackRecord: every scenario that applies has a row, and every test that a
// row names is there.
func TestTrackRecord(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "docs", "track-record.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for _, r := range readRecords(string(text)) {
		rows[r.id] = true
		if len(r.tests) == 0 {
			t.Errorf("%s: the row names no test", r.id)
		}
		for _, n := range r.tests {
			if n.file == "" || !n.exists() {
				t.Errorf("%s: there is no %q in %q", r.id, n.declared(), n.file)
			}
		}
	}
	for _, id := range applying {
		if !rows[id] {
			t.Errorf("%s has no row", id)
		}
	}
}

// TestTrackRecordBites: a test that is gone is noticed, and so is a clause.
func TestTrackRecordBites(t *testing.T) {
	t.Parallel()
	rows := readRecords("| id | what | the test here |\n|---|---|---|\n" +
		"| R01 | x | `TestA` and `TestTrackRecordBites` in `internal/e2e/scenario/track_record_test.go`, `C11_gone` in `store/storetest/clause.go` |\n" +
		"| R02 | x | none |\n")
	if len(rows) != 2 || rows[0].id != "R01" || len(rows[0].tests) != 3 || len(rows[1].tests) != 0 {
		t.Fatalf("read as %+v", rows)
	}
	for i, want := range []bool{false, true, false} {
		if n := rows[0].tests[i]; n.exists() != want {
			t.Errorf("%+v exists: %t", n, !want)
		}
	}
}
