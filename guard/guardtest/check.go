package guardtest

import (
	"context"
	"sync"

	"github.com/ringfence-go/ringfence/internal/recorder"
)

// Result is what one clause found.
type Result struct {
	Clause
	Failures []string // empty when the guard keeps the clause
	Skipped  string   // why the clause was not run, if it was not
}

// Check runs every clause against target without a *testing.T, all at the same
// time, and returns a result for each in the order of the contract.
func Check(ctx context.Context, target Target) []Result {
	results := make([]Result, len(clauses))
	var all sync.WaitGroup
	for i, c := range clauses {
		all.Go(func() { results[i] = check(ctx, c, target) })
	}
	all.Wait()
	return results
}

func check(ctx context.Context, c Clause, target Target) Result {
	failures, skipped := recorder.Run(ctx, func(t T) { c.Run(t, target) })
	return Result{Clause: c, Failures: failures, Skipped: skipped}
}
