package broken

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/store/storetest"
)

// TestFaults runs in a bubble of its own time: leases end without a wait, and
// every goroutine that can look does so before any goes on.
func TestFaults(t *testing.T) {
	for _, f := range Faults() {
		t.Run(f.Clause+" "+f.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				failed := failures(t, f.Target())
				if !slices.Equal(failed, []string{f.Clause}) {
					t.Errorf("a store that %s fails %v; want exactly %s", f.Name, failed, f.Clause)
				}
			})
		})
	}
}

func TestRightStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		if failed := failures(t, Fault{}.Target()); len(failed) != 0 {
			t.Errorf("the right store fails %v", failed)
		}
	})
}

func TestEveryClauseHasAFault(t *testing.T) {
	t.Parallel()
	for _, c := range storetest.Clauses() {
		if !slices.ContainsFunc(Faults(), func(f Fault) bool { return f.Clause == c.ID }) {
			t.Errorf("no store breaks %s %s", c.ID, c.Name)
		}
	}
}

// failures runs the whole suite and returns the ids of the clauses that fail.
func failures(t *testing.T, target storetest.Target) []string {
	t.Helper()
	var failed []string
	results := storetest.Check(t.Context(), target)
	time.Sleep(time.Minute) // of the bubble: a call that ignores its context is still on its way
	for _, r := range results {
		if r.Skipped != "" {
			t.Errorf("%s was skipped: %s", r.ID, r.Skipped)
		}
		if len(r.Failures) > 0 {
			t.Logf("%s: %s", r.ID, r.Failures[0])
			failed = append(failed, r.ID)
		}
	}
	return failed
}
