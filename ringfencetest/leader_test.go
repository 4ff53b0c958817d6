package ringfencetest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/election"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/ringfencetest"
)

// schedule is the work of a leader, to be tested.
func schedule(ctx context.Context, term *election.Term, plan *ringfencetest.Destination) error {
	_, err := term.Write(ctx, "monday", func(ctx context.Context, w guard.Write) (fence.Verdict, error) {
		return plan.Write(ctx, w, "monday: all quiet")
	})
	return err
}

// The test that docs/election.md shows.
func TestLeaderThatIsReplaced(t *testing.T) {
	t.Parallel()
	store := ringfencetest.New(t)
	plan := ringfencetest.NewDestination(store, guard.Latest)
	candidacy := election.Candidacy{Unavailable: election.Wait, Resources: []election.Resource{plan}, Once: true}

	var old fence.Fence
	err := election.Run(t.Context(), store.Locker(nil), "scheduler", candidacy, func(ctx context.Context, term *election.Term) error {
		old = term.Fence()
		successor := store.Steal("scheduler") // nobody has told us
		if _, err := plan.Establish(ctx, successor); err != nil {
			return err
		}
		return schedule(ctx, term, plan) // the code under test
	})
	if !errors.Is(err, ringfence.ErrLost) {
		t.Errorf("got %v, want the loss of the term", err)
	}
	plan.AssertFenced()
	plan.AssertRefused(old)
}
