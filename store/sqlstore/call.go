package sqlstore

import (
	"errors"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// kind is what a call asks for; it is also the name of its statement.
type kind string

const (
	acquire kind = "acquire"
	renew   kind = "renew"
	release kind = "release"
	wait    kind = "wait"  // for a place in line, or to keep it
	leave   kind = "leave" // gives it up
)

// inLine reports whether k is about a place in line, not about a term.
func (k kind) inLine() bool { return k == wait || k == leave }

// call is one try of one caller's step. What it asks for is constant; its answer
// may be read when done is closed.
type call struct {
	kind    kind
	name    string
	attempt string
	holder  string        // of an acquire and a wait
	token   fence.Token   // of a renewal and a release
	ttl     time.Duration // rounded: of the lease, or of the place in line
	placed  bool          // of an acquire: the attempt may have a place in line, which goes with a grant

	batch *batch // nil while it waits; guarded by queue.mu

	done   chan struct{}
	stands bool // the answer was read before the batch wrote, and stands if that fails
	answer answer
	err    error
}

// fresh is what c asks for, to be sent once more.
func (c call) fresh() *call {
	return &call{
		kind: c.kind, name: c.name, attempt: c.attempt, holder: c.holder, token: c.token, ttl: c.ttl, placed: c.placed,
		done: make(chan struct{}),
	}
}

// answer is what a statement says about one call.
type answer struct {
	verdict   verdict
	token     fence.Token
	holder    string // of whoever holds the name
	remaining time.Duration
	ahead     int           // in the line of the name, in answer to an acquire and a wait
	waited    time.Duration // in that line, in answer to a wait
}

// verdict is the first column of an answer. The other ones are the causes of
// driver.EndedError.
type verdict string

const (
	done    verdict = "done"
	same    verdict = "same"    // the attempt has its grant already
	held    verdict = "held"    // by another attempt
	kept    verdict = "kept"    // free, and kept for a waiter who is before the attempt in line
	again   verdict = "again"   // the row is locked, or has just changed: nothing was done
	locked  verdict = "locked"  // as again, and the row is that of a term of another attempt that is over
	strange verdict = "strange" // another database answers than the one on record: nothing was done
	expired verdict = "expired"
	full    verdict = "full" // no more may wait
	// exhausted: the next token would be above the highest; nothing was done
	exhausted verdict = "exhausted"
)

// final reports whether the answer tells the outcome of the step.
func (a answer) final() bool {
	switch a.verdict {
	case again, locked, strange, exhausted:
		return false
	}
	return true
}

// settle notes one row of an answer. Where a name has several, a step that was
// done counts before its absence, and anything before again and locked.
func (c *call) settle(a answer) {
	rank := func(v verdict) int {
		switch v {
		case "", again, locked:
			return 0
		case expired:
			return 1
		}
		return 2
	}
	if c.answer.verdict == "" || rank(a.verdict) > rank(c.answer.verdict) {
		c.answer = a
	}
}

func (c *call) fail(err error) {
	c.err = err
	close(c.done)
}

// milliseconds is c.ttl as the statements take it.
func (c *call) milliseconds() int64 { return c.ttl.Milliseconds() }

// result is what the caller of c gets. inDoubt: an earlier try of it may have
// been applied, so that a term found released was released by it, and of one whose name
// was granted since nothing tells whether it came in time.
func (a answer) result(c call, inDoubt bool) (driver.Term, error) {
	f := fence.Fence{Name: c.name, Token: a.token}
	switch {
	case a.verdict == done, c.kind == release && inDoubt && a.verdict == verdict(driver.EndReleased):
		return driver.Term{Fence: f, Attempt: c.attempt, Remaining: c.ttl}, nil
	case c.kind == release && inDoubt && a.verdict == verdict(driver.EndSuperseded):
		return driver.Term{}, doubt.because(errors.New("the name was granted again before the answer came")).fault("")
	case a.verdict == full:
		return driver.Term{}, &driver.FullError{Name: c.name}
	case a.verdict == same:
		return driver.Term{Fence: f, Attempt: c.attempt, Remaining: a.remaining}, nil
	case a.verdict == held, a.verdict == locked, a.verdict == kept:
		left := max(a.remaining, time.Millisecond)
		return driver.Term{}, &driver.HeldError{
			Name: c.name, Holder: a.holder, Token: a.token, Remaining: left, Ahead: a.ahead, Kept: a.verdict == kept,
		}
	}
	return driver.Term{}, &driver.EndedError{Fence: f, Cause: driver.EndCause(a.verdict)}
}
