package runner_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/review/rule"
	"github.com/ringfence-go/ringfence/review/rules"
	"github.com/ringfence-go/ringfence/review/runner"
)

// TestSlowFile gives up the one file that is slow, says which, and reviews those beside it.
func TestSlowFile(t *testing.T) {
	dir := tree(t, map[string]string{"jobs/slow.py": unsafe, "jobs/quick.py": unsafe, "other/a.py": unsafe})
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		stuck := &rule.Rule{Name: "stuck", Number: 99, Check: func(p *rule.Pass) {
			for _, f := range p.Files {
				if filepath.Base(f.Path) == "slow.py" {
					<-end
				}
			}
		}}
		r, err := runner.Run(t.Context(), &runner.Options{Dir: dir, Rules: append(slices.Clone(rules.All), stuck), MaxTime: time.Minute})
		close(end)
		synctest.Wait()
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Problems) != 1 || r.Problems[0].Path != "jobs/slow.py" || !strings.Contains(r.Problems[0].Reason, "given up after 6s") {
			t.Errorf("problems: %v", r.Problems)
		}
		if got := paths(r); got != "jobs/quick.py other/a.py" {
			t.Errorf("found in %q", got)
		}
	})
}

// TestTriggers reads every file of the rules' cases that has a fault: none is passed over for
// the words that it does not have.
func TestTriggers(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "rules", "testdata", "*", "*.*"))
	if err != nil || len(files) < 100 {
		t.Fatalf("found %d files: %v", len(files), err)
	}
	for _, path := range files {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(src), " want ") && !runner.Triggers(src) {
			t.Errorf("%s is not looked at", path)
		}
	}
}
