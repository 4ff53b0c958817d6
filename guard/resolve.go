package guard

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ringfence-go/ringfence/fence"
)

// Landing says whether a write landed. Its zero value is StillUnknown, so that a
// forgotten answer is never taken for a good one.
type Landing uint8

const (
	// StillUnknown: the write may be applied, or may be later. Record it as a suspect.
	StillUnknown Landing = iota
	// HasLanded: the write is applied; under Once and Sequenced, once.
	HasLanded
	// NeverLands: the write is not applied, and no copy of it that is still under way
	// will be.
	NeverLands
)

var landings = [...]string{"unknown", "landed", "never lands"}

func (l Landing) String() string {
	if int(l) < len(landings) {
		return landings[l]
	}
	return fmt.Sprintf("undefined(%d)", uint8(l))
}

// LandingOf says what a verdict of a resource under rule r tells of the write that it
// answers, and of every earlier copy of it.
//
// Only Sequenced answers in every case. Once a term is superseded, the other rules
// keep nothing of it; Latest doesn't tell a repeated write from a new one, so a
// refusal of the second copy says nothing about the first. A cause that was read
// after the refusal may have come after another copy.
func LandingOf(r Rule, v fence.Verdict) Landing {
	switch {
	case v.OK(), v.Landed:
		return HasLanded
	case v.Outcome != fence.Refused, v.Observed, r == Latest:
		return StillUnknown
	}
	switch v.Cause {
	case fence.Conflict, fence.Outdated:
		return NeverLands
	case fence.Superseded:
		if r == Sequenced {
			return NeverLands
		}
	}
	return StillUnknown
}

const (
	firstPause = 5 * time.Millisecond
	mostPause  = time.Second
	firstTry   = 10 * time.Second // and twice as long each time, for a write that takes longer
)

// Resolve sends w until the resource says what became of it, or ctx ends. It is for a
// write whose answer was Unknown, and may as well send the first copy:
//
//	landing, err := guard.Resolve(ctx, guard.Sequenced, w, func(ctx context.Context) (fence.Verdict, error) {
//		return account.InTx(ctx, db, w, payOut)
//	})
//
// send sends the same token, seq and key each time, and returns soon after its context
// ends. It is called again while it answers with ErrUnknown, ErrUnavailable or
// ErrRetry, with pauses that grow from 5 ms to 1 s; a try that gets no answer is given
// up after 10 s, the next after 20 s, and so on.
//
// The error is nil when the write was admitted or a duplicate. A refusal is the
// *fence.RefusedError, also beside HasLanded: the write was applied, and then its term
// was superseded. When ctx ends without an answer, the error matches ErrUnknown. Any
// other failure of send ends Resolve at once and is returned as it is.
func Resolve(ctx context.Context, r Rule, w Write, send func(context.Context) (fence.Verdict, error)) (Landing, error) {
	if err := w.Check(r); err != nil {
		return StillUnknown, err
	}
	for turn := 0; ; turn++ {
		v, err := try(ctx, turn, send)
		switch {
		case v.Outcome == fence.Refused, v.OK() && err == nil:
			return LandingOf(r, v), err
		case !retriable(err):
			return StillUnknown, err
		case !rest(ctx, turn):
			return StillUnknown, unresolved(ctx, v, w, err)
		}
	}
}

func try(ctx context.Context, turn int, send func(context.Context) (fence.Verdict, error)) (fence.Verdict, error) {
	ctx, cancel := context.WithTimeout(ctx, firstTry<<min(turn, 10))
	defer cancel()
	return send(ctx)
}

// retriable reports whether the same write may get an answer next time.
func retriable(err error) bool {
	return err == nil || errors.Is(err, ErrUnknown) || errors.Is(err, ErrUnavailable) || errors.Is(err, ErrRetry)
}

// rest waits before the next turn, with jitter, and reports whether there is one.
func rest(ctx context.Context, turn int) bool {
	d := min(firstPause<<min(turn, 10), mostPause)
	t := time.NewTimer(d/2 + rand.N(d/2))
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// unresolved is the error of a write of which nobody knows. What the last try failed
// with may have been harmless by itself, so its kind is left out and its source kept.
func unresolved(ctx context.Context, v fence.Verdict, w Write, err error) error {
	source := context.Cause(ctx)
	if last, ok := errors.AsType[*Error](err); ok && last.Err != nil {
		source = fmt.Errorf("%w; the last try: %w", source, last.Err)
	}
	return &Error{
		Kind: ErrUnknown, Resource: v.Resource, Fence: w.Fence, Err: source,
		Hint: "send the same token, seq and key again before anything else",
	}
}
