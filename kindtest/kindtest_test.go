package kindtest

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/recorder"
	"github.com/ringfence-go/ringfence/store/memstore"
)

// TestMemory runs the suite in real time.
func TestMemory(t *testing.T) {
	Run(t, memory(nil))
}

func memory(acquire acquirer) Target {
	store := memstore.New(nil)
	return Target{Open: func(context.Context) (driver.Store, error) { return store.Share(), nil }, acquire: acquire}
}

// TestTwins runs each in a bubble of its own time.
func TestTwins(t *testing.T) {
	t.Parallel()
	for _, twin := range twins {
		t.Run(twin.name, func(t *testing.T) {
			t.Parallel()
			want := append([]string{twin.clause}, twin.others...)
			slices.Sort(want)
			if got := failing(t, twin.acquire); !slices.Equal(got, want) {
				t.Errorf("whose leases %s fail %v; want %v", twin.name, got, want)
			}
		})
	}
}

func TestEveryClauseHasATwin(t *testing.T) {
	t.Parallel()
	if failed := failing(t, nil); len(failed) != 0 {
		t.Errorf("the right leases fail %v", failed)
	}
	for i, c := range Clauses() {
		if twins[i].clause != c.ID {
			t.Errorf("no twin breaks %s %s", c.ID, c.Name)
		}
	}
}

// failing lists the clauses that an implementation fails.
func failing(t *testing.T, acquire acquirer) (failed []string) {
	for _, c := range Clauses() {
		synctest.Test(t, func(t *testing.T) {
			failures, skipped := recorder.Run(t.Context(), func(r T) { c.Run(r, memory(acquire)) })
			time.Sleep(2 * patience) // what goes on in the background has ended
			if skipped != "" {
				t.Errorf("%s was skipped: %s", c.ID, skipped)
			}
			if len(failures) > 0 {
				t.Logf("%s: %s", c.ID, failures[0])
				failed = append(failed, c.ID)
			}
		})
	}
	return failed
}
