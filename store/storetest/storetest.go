// Package storetest is the contract of driver.Store as tests. Each clause of
// docs/contract.md is one small function, known by its id. A store passes the
// suite or it is not a store.
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, storetest.Target{
//			Open: func(ctx context.Context) (driver.Store, error) { return mystore.Open(ctx, url) },
//		})
//	}
//
// Package storetest/broken shows that each clause catches a store that breaks it.
package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/recorder"
)

// Target is a store under test. It must be the suite's own: clauses forget
// every idle name in it, raise its floor and restart it.
type Target struct {
	// Open opens one more client of the same leases. Required. The suite closes
	// each client that it opens.
	Open func(ctx context.Context) (driver.Store, error)

	// OpenSkewed opens a client whose caller believes that the time is off by
	// skew. Leave it nil only where no client reads a clock, or where another
	// test covers it: the clause is then skipped and says so.
	OpenSkewed func(ctx context.Context, skew time.Duration) (driver.Store, error)

	// Restart ends the process that keeps the leases, without a chance to tidy
	// up where that is possible, and returns when a new one answers. Clients that
	// were open before are not used again. Nil skips the clauses that need it.
	Restart func(ctx context.Context) error
}

// T is what a clause needs of a test. *testing.T has it.
type T = recorder.T

// Clause is one promise of the contract and the test of it.
type Clause struct {
	ID   string // C01 and up, as in docs/contract.md
	Name string // the heading there, with underscores
	// Alone means that the clause disturbs others: it restarts the store, or
	// forgets what they left behind.
	Alone bool

	test func(*env)
}

// Clauses lists the whole contract in order.
func Clauses() []Clause { return append([]Clause(nil), clauses...) }

// Run runs every clause against target as a subtest of t, such as
// TestStore/C01_granted_when_free. Those that need the store for themselves come
// first, the others run in parallel, after the caller has returned: close what
// Target uses in t.Cleanup, not in a defer.
func Run(t *testing.T, target Target) {
	for _, c := range inOrder() {
		t.Run(c.ID+"_"+c.Name, func(t *testing.T) {
			if !c.Alone {
				t.Parallel()
			}
			c.Run(t, target)
		})
	}
}

// Run runs the clause against target, and reports to t. It may end the calling
// goroutine, as t.Fatalf and t.Skipf do.
func (c Clause) Run(t T, target Target) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	c.test(newEnv(t, ctx, target))
}

// inOrder puts the clauses that run alone first.
func inOrder() []Clause {
	var alone, together []Clause
	for _, c := range clauses {
		if c.Alone {
			alone = append(alone, c)
		} else {
			together = append(together, c)
		}
	}
	return append(alone, together...)
}
