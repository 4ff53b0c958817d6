package driver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence/fence"
)

// Queue is an optional ability of a store: it serves those who wait for a name in the
// order in which they came.
//
// A waiter is an attempt with a place in the line of a name. It asks for the name by
// Acquire, as everybody does. While a name has living waiters Acquire grants it to the
// first of them alone, and decides that in the same atomic step: whoever has no place,
// or a later one, is refused with a *HeldError, also while nobody holds the name. So
// an acquire that was sent after a Wait was answered does not overtake it. What nobody
// waits for costs no more statements or round trips than without a line.
//
// A place says who is served first, never who may write: where a line is lost, in a
// crash say, its waiters get new places when they next say that they wait.
type Queue interface {
	// Wait gives r.Attempt a place at the end of the line for r.Name, or lets it keep
	// the one it has. The place then lasts for keep, by the store's clock, unless it
	// is kept again; one that has lapsed is lost, and its owner stands at the end. It
	// is safe to repeat. Beyond MaxWaiters, or about as many, it fails with a *FullError.
	//
	// The name may be free by then: whoever has got a place asks for the name once more.
	Wait(ctx context.Context, r Request, keep time.Duration) (Place, error)

	// Leave gives up the place of an attempt, so that it costs nobody any time: where the
	// name is free and hints are given, the next one gets one. An attempt without a place
	// is no error. One that is granted the name through the client by which it waits has
	// none any more when Acquire returns.
	Leave(ctx context.Context, name, attempt string) error

	// Waiters lists those who wait for name in the order of their places, at most
	// limit of them.
	Waiters(ctx context.Context, name string, limit int) ([]Waiter, error)
}

// TurnWatcher is a Queue that gives its hints in the order of the places.
type TurnWatcher interface {
	// WatchTurn does what Watcher.Watch does for an attempt that has a place in the line
	// for name: a hint goes to the one that is first there, in whichever process, and
	// to another only where that one does not listen.
	WatchTurn(ctx context.Context, name, attempt string) (<-chan struct{}, error)
}

// BatchQueue is a Queue that keeps many places for the price of one.
type BatchQueue interface {
	// WaitAll does what Wait does with each of the waits, in one round trip or a few, and
	// returns their outcomes in the same order. None of them hangs on another.
	WaitAll(ctx context.Context, all []Waiting) []Placed
}

// Waiting is what is asked of a Wait: that a request has a place for Keep from now.
type Waiting struct {
	Request Request
	Keep    time.Duration
}

// Placed is the outcome of a Wait.
type Placed struct {
	Place Place
	Err   error
}

// MaxWaiters is how many may wait for one name.
const MaxWaiters = 10_000

// MinKeep and MaxKeep bound how long a place lasts while nothing is heard of its owner,
// and so how long one that has vanished can keep the others from a free name.
const (
	MinKeep = 10 * time.Millisecond
	MaxKeep = time.Minute
)

// Place is where an attempt stands in line.
type Place struct {
	Ahead  int           // the living waiters before it
	Waited time.Duration // since it got the place
}

// Waiter is what a store shows of one who waits. It never holds an attempt.
type Waiter struct {
	Holder string        `json:"holder"` // the label of its request
	Since  time.Time     `json:"since"`  // when it got its place, on the store's clock
	Waited time.Duration `json:"-"`      // as the store judged
	Left   time.Duration `json:"-"`      // until the place lapses, unless it is kept
}

// ErrFull: as many wait for the name as may. Always a *FullError.
var ErrFull = errors.New("too many wait")

// FullError refuses a place in a line.
type FullError struct{ Name string }

func (e *FullError) Error() string {
	return fmt.Sprintf("%d wait for %s already, and no more may: try again later, or let fewer wait",
		MaxWaiters, fence.Quote(e.Name))
}

// Unwrap makes errors.Is(err, ErrFull) true.
func (e *FullError) Unwrap() error { return ErrFull }

// CheckWait reports why a store with properties p must refuse r and keep before
// anything is sent, or nil. Every Queue calls it first in Wait.
func (r Request) CheckWait(p Properties, keep time.Duration) error {
	if err := r.Check(p); err != nil {
		return err
	}
	if keep < MinKeep || keep > MaxKeep {
		return fmt.Errorf("%w time of %s to keep a place: want %s to %s", fence.ErrInvalid, keep, MinKeep, MaxKeep)
	}
	return nil
}

// CheckPlace reports why no attempt of this id can wait for name, or nil. Every Queue
// calls it first in Leave.
func CheckPlace(name, attempt string) error {
	if err := fence.CheckName(name); err != nil {
		return err
	}
	return checkAttempt(attempt)
}

// CheckWaiters reports why a list of waiters can't be asked for, or nil.
func CheckWaiters(name string, limit int) error {
	if limit < 1 {
		return fmt.Errorf("%w limit %d of a list of waiters: want 1 or more", fence.ErrInvalid, limit)
	}
	return fence.CheckName(name)
}
