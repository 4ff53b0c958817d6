package guard

import (
	"fmt"

	"github.com/ringfence-go/ringfence/fence"
)

// Rule says which writes of a term that has not been superseded a resource
// admits. Its zero value is no rule and is refused.
type Rule uint8

const (
	// Once admits the first write of a term: one publication per term.
	// Establishing does not use it up.
	Once Rule = iota + 1
	// Sequenced admits the writes 1, 2, 3, ... of a term, each once, in order.
	// It is safe to retry, and the only rule that can tell for ever whether a
	// write landed.
	Sequenced
	// Latest admits every write whose token is not below the mark. It can't tell
	// a repeated write from a new one, nor a late copy of an earlier write of the
	// term from a fresh one: for writes that are idempotent and where, within a
	// term, any order will do.
	Latest
)

var rules = [...]string{"none", "once", "sequenced", "latest"}

func (r Rule) String() string {
	if int(r) < len(rules) {
		return rules[r]
	}
	return fmt.Sprintf("undefined(%d)", uint8(r))
}

// Check reports why r is no rule, or nil.
func (r Rule) Check() error {
	if r < Once || r > Latest {
		return fmt.Errorf("%w rule %s: want once, sequenced or latest", fence.ErrInvalid, r)
	}
	return nil
}
