// Package guardtest is the contract of a guarded resource as tests. Each clause
// is one small function, known by its id. It checks the guards of this project,
// and it checks your own write path: a resource that passes refuses the stale
// writer, keeps what the newer one wrote, and says why.
//
//	func TestReportTable(t *testing.T) {
//		guardtest.Run(t, guardtest.Target{
//			Rule: guard.Sequenced, Establishes: true, Keys: true,
//			Open: func(ctx context.Context, lease string) (guardtest.Resource, error) {
//				return newReport(ctx, db, lease)
//			},
//		})
//	}
//
// Package guardtest/broken shows that each clause catches a guard that breaks it.
package guardtest

import (
	"context"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/internal/recorder"
)

// Resource is one guarded place that holds one text. All methods may be called
// by many goroutines at once. Each returns soon after its context ends.
//
// Establish and Write answer with a verdict and the error that belongs to it: nil
// when the verdict is OK, otherwise one that says what went wrong. An error that
// matches guard.ErrRetry makes the suite call again.
type Resource interface {
	// Establish begins a term: nothing older is admitted from then on. Where the
	// guard has no such step, the error matches errors.ErrUnsupported.
	Establish(ctx context.Context, f fence.Fence) (fence.Verdict, error)
	// Write replaces the text in the same atomic step in which w is judged.
	Write(ctx context.Context, w guard.Write, value string) (fence.Verdict, error)
	// Read returns the text, "" before the first write.
	Read(ctx context.Context) (string, error)
}

// Target is a guard under test, and what it claims to be able to do. Claims are
// checked both ways: a guard may not do less, and not more either.
type Target struct {
	// Open makes a resource that was never written to, protected by the lease of
	// that name. Required. Where Establishes is set it has no mark yet; otherwise
	// it is open to the first term that writes.
	Open func(ctx context.Context, lease string) (Resource, error)
	// Rule is the rule that the guard follows. Required.
	Rule guard.Rule
	// Establishes says that the guard has a step that begins a term.
	Establishes bool
	// Keys says that the guard is told the Seq and the Key of a write, so that it
	// refuses bad ones and, but for Latest, tells a repeated write from another
	// one. Sequenced needs it.
	Keys bool
	// Unwritable is a text that the resource's data refuses after the guard has
	// admitted the write, by a constraint for example. Left empty, the clause
	// about failing writes is skipped, and atomicity is not proved.
	Unwritable string
	// Aging makes a resource as Open does, with a limit to the age of a write's inputs.
	// Left empty, the clauses about that are skipped.
	Aging func(ctx context.Context, lease string, maxAge time.Duration) (Aging, error)
}

// T is what a clause needs of a test. *testing.T has it.
type T = recorder.T

// Clause is one promise of a guarded resource and the test of it.
type Clause struct {
	ID   string // G01 and up
	Name string

	needs []need
	test  func(*env)
}

// Clauses lists the whole contract in order.
func Clauses() []Clause { return append([]Clause(nil), clauses...) }

// Run runs every clause against target as a parallel subtest of t, such as
// TestReportTable/G03_stale_after_newer_write, and sends it [Forgeries] through a
// guard.Door, which may change nothing. They run after the caller has
// returned: close what Target uses in t.Cleanup, not in a defer.
func Run(t *testing.T, target Target) {
	for _, c := range clauses {
		t.Run(c.ID+"_"+c.Name, func(t *testing.T) {
			t.Parallel()
			c.Run(t, target)
		})
	}
	t.Run("forgeries", func(t *testing.T) { runForgeries(t, target) })
}

// Run runs the clause against target, and reports to t. It may end the calling
// goroutine, as t.Fatalf and t.Skipf do.
func (c Clause) Run(t T, target Target) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	e := newEnv(t, ctx, target)
	for _, n := range c.needs {
		if !n.met(target) {
			t.Skipf("the clause is about a guard %s", n.what)
		}
	}
	c.test(e)
}

// need is what a target must claim for a clause to concern it.
type need struct {
	what string
	met  func(Target) bool
}

var (
	establishes = need{"that establishes", func(t Target) bool { return t.Establishes }}
	keys        = need{"that is told seq and key", func(t Target) bool { return t.Keys }}
	sequenced   = need{"with the rule sequenced", func(t Target) bool { return t.Rule == guard.Sequenced }}
	counted     = need{"with the rule once or sequenced", func(t Target) bool { return t.Rule != guard.Latest }}
	ages        = need{"that limits the age of inputs", func(t Target) bool { return t.Aging != nil }}
	failing     = need{"whose data can refuse a write", func(t Target) bool { return t.Unwritable != "" }}
)
