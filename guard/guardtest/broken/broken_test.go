package broken_test

import (
	"testing"
	"testing/synctest"

	"github.com/ringfence-go/ringfence/guard/guardtest"
	"github.com/ringfence-go/ringfence/guard/guardtest/broken"
)

// check runs the suite in a bubble, where every race has one outcome.
func check(t *testing.T, f broken.Fault, report func(guardtest.Result)) {
	synctest.Test(t, func(t *testing.T) {
		for _, r := range guardtest.Check(t.Context(), f.Target()) {
			report(r)
		}
	})
}

func TestRightGuardsPass(t *testing.T) {
	t.Parallel()
	ran := make(map[string]bool)
	for _, f := range broken.Right() {
		t.Run(f.Name, func(t *testing.T) {
			check(t, f, func(r guardtest.Result) {
				ran[r.ID] = ran[r.ID] || r.Skipped == ""
				if len(r.Failures) > 0 {
					t.Errorf("%s_%s fails: %q", r.ID, r.Name, r.Failures)
				}
			})
		})
	}
	for _, c := range guardtest.Clauses() {
		if !ran[c.ID] {
			t.Errorf("%s_%s is skipped for every kind of guard", c.ID, c.Name)
		}
	}
}

func TestEachFaultFailsItsClause(t *testing.T) {
	t.Parallel()
	for _, f := range broken.Faults() {
		t.Run(f.Clause+" "+f.Name, func(t *testing.T) {
			t.Parallel()
			check(t, f, func(r guardtest.Result) {
				switch failed := len(r.Failures) > 0; {
				case r.ID == f.Clause && !failed:
					t.Errorf("%s_%s does not catch it (skipped: %q)", r.ID, r.Name, r.Skipped)
				case r.ID != f.Clause && failed:
					t.Errorf("%s_%s fails too: %q", r.ID, r.Name, r.Failures)
				}
			})
		})
	}
}

func TestEveryClauseHasAFault(t *testing.T) {
	t.Parallel()
	caught := make(map[string]bool)
	for _, f := range broken.Faults() {
		caught[f.Clause] = true
	}
	for _, c := range guardtest.Clauses() {
		if !caught[c.ID] {
			t.Errorf("no wrong guard shows that %s_%s catches anything", c.ID, c.Name)
		}
	}
}
