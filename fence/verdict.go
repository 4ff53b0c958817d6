package fence

import (
	"errors"
	"fmt"
)

// Outcome is what became of a guarded write. Its zero value is Unknown, so that
// a forgotten answer is never taken for a good one.
type Outcome uint8

// The outcomes, and what the caller does next.
const (
	// Unknown: sent, no definite answer. Resend the same write before anything else.
	Unknown Outcome = iota
	// Admitted: applied now, mark and data in one atomic step. Go on.
	Admitted
	// Duplicate: applied before, once. Go on.
	Duplicate
	// Refused: not applied; the cause says why. Stop, unless the cause says otherwise.
	Refused
	// Unavailable: provably not sent. It may be tried again.
	Unavailable
)

var outcomes = [...]string{"unknown", "admitted", "duplicate", "refused", "unavailable"}

func (o Outcome) String() string { return word(outcomes[:], int(o)) }

// MarshalText renders the word, for JSON and for metric labels.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// Cause says why a write was refused.
type Cause uint8

// The causes, and what the caller does next.
const (
	// NoCause goes with every outcome but Refused.
	NoCause Cause = iota
	// Superseded: the resource has seen a newer token. Stop for good.
	Superseded
	// OutOfSequence: an earlier write of this term is missing. Resend in order.
	OutOfSequence
	// Conflict: the same place in the sequence with another key. Two holders
	// of one term, or two writes that were given one number: raise an alarm.
	Conflict
	// Lapsed: nobody took over, but the term is over. Only where the caller asked
	// for the strict rule or for ownership. Acquire again.
	Lapsed
	// Outdated: the fence counts, but the write was computed from inputs that are
	// older than the resource's limit. Only where the resource limits their age. Read
	// them again and compute anew.
	Outdated
	// NotEstablished: the resource has no mark. Establish, or have an operator recover.
	NotEstablished
	// Future: a number that no authority can have issued yet, or inputs of a time that
	// the resource's clock has not reached. Fix the caller.
	Future
	// Invalid: a bad number, a fence for another name, or inputs without a time where
	// the resource asks for one. Fix the caller.
	Invalid
)

var causes = [...]string{
	"none", "superseded", "out_of_sequence", "conflict", "lapsed", "outdated", "not_established", "future", "invalid",
}

func (c Cause) String() string { return word(causes[:], int(c)) }

// MarshalText renders the word, for JSON and for metric labels.
func (c Cause) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Causes lists every cause of a refusal, for counters that begin at zero.
func Causes() []Cause {
	return []Cause{Superseded, OutOfSequence, Conflict, Lapsed, Outdated, NotEstablished, Future, Invalid}
}

func word(words []string, i int) string {
	if i < len(words) {
		return words[i]
	}
	return fmt.Sprintf("undefined(%d)", i)
}

// Verdict is a guard's whole answer to one write.
type Verdict struct {
	Outcome  Outcome `json:"outcome"`
	Cause    Cause   `json:"cause"`
	Resource string  `json:"resource"`
	// Fence is what the write carried.
	Fence Fence `json:"fence"`
	// Mark is the highest token the resource had admitted or established when it
	// answered; 0 where it has none.
	Mark Token `json:"mark,omitzero"`
	// Observed means that Cause and Mark were read after the refusal, in a later
	// step: the refusal is certain, its reason is an observation.
	Observed bool `json:"observed,omitempty"`
	// Landed answers "did my write land?" for a superseded write of a sequenced
	// resource: true when it had been applied before its term was superseded.
	Landed bool `json:"landed,omitempty"`
}

// OK reports whether the write is applied, now or before.
func (v Verdict) OK() bool { return v.Outcome == Admitted || v.Outcome == Duplicate }

// Word is the verdict in one word: the cause where it was refused, the outcome
// where it was not. Nothing in it tells a lease or a resource.
func (v Verdict) Word() string {
	if v.Outcome == Refused {
		return v.Cause.String()
	}
	return v.Outcome.String()
}

// VerdictWords lists every [Verdict.Word], for counters that begin at zero.
func VerdictWords() []string {
	words := []string{Unknown.String(), Admitted.String(), Duplicate.String(), Unavailable.String()}
	for _, c := range Causes() {
		words = append(words, c.String())
	}
	return words
}

func (v Verdict) String() string {
	s := v.Outcome.String()
	if v.Outcome == Refused {
		s += ": " + v.Cause.String()
	}
	if v.Resource != "" {
		s += " at " + Quote(v.Resource)
	}
	if v.Fence == (Fence{}) {
		s += ": the write carries no fence"
	} else {
		s += ": the write carries token " + v.Fence.Token.String()
	}
	if v.Fence.Name != "" {
		s += " of " + Quote(v.Fence.Name)
	}
	if v.Mark != 0 {
		s += ", the resource's mark is " + v.Mark.String()
	}
	if v.Observed {
		s += " (read after the refusal)"
	}
	if v.Landed {
		s += "; this write had been applied before"
	}
	return s
}

// ErrRefused is matched by the error of every refused verdict.
var ErrRefused = errors.New("refused by the resource")

// RefusedError is a refused verdict as an error.
type RefusedError struct {
	Verdict Verdict
	Err     error // what is wrong with the fence, where more is known than the cause
}

func (e *RefusedError) Error() string {
	if e.Err == nil {
		return e.Verdict.String()
	}
	return e.Verdict.String() + ": " + e.Err.Error()
}

// Unwrap leads both to ErrRefused and to Err.
func (e *RefusedError) Unwrap() []error {
	if e.Err == nil {
		return []error{ErrRefused}
	}
	return []error{ErrRefused, e.Err}
}

// Err is nil when the write is applied, a [*RefusedError] when it was refused,
// and an error that says so when the outcome is unknown or the resource was
// not reached.
func (v Verdict) Err() error {
	switch v.Outcome {
	case Admitted, Duplicate:
		return nil
	case Refused:
		return &RefusedError{Verdict: v}
	default:
		return errors.New(v.String())
	}
}
