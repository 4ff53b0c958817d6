package storetest

import (
	"context"
	"sync"

	"github.com/ringfence-go/ringfence/internal/recorder"
)

// Result is what one clause found.
type Result struct {
	Clause
	Failures []string // empty when the store keeps the clause
	Skipped  string   // why the clause was not run, if it was not
}

// Check runs every clause against target without a *testing.T, and returns a
// result for each in the order of the contract. Clauses that don't need the store
// for themselves run at the same time.
func Check(ctx context.Context, target Target) []Result {
	results := make([]Result, len(clauses))
	run := func(i int) { results[i] = check(ctx, clauses[i], target) }
	var together sync.WaitGroup
	for i, c := range clauses {
		if c.Alone {
			run(i)
		}
	}
	for i, c := range clauses {
		if !c.Alone {
			together.Go(func() { run(i) })
		}
	}
	together.Wait()
	return results
}

func check(ctx context.Context, c Clause, target Target) Result {
	failures, skipped := recorder.Run(ctx, func(t T) { c.Run(t, target) })
	return Result{Clause: c, Failures: failures, Skipped: skipped}
}
