package casguard

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/ringfence-go/ringfence/guard"
)

// Bucket is the place of guarded values, written for this package by whoever knows a
// service. Its methods may be called by many goroutines at once, and each makes one
// request: a client that repeats requests by itself must be told not to.
//
// An error says what it means by what it matches, best as a *guard.Error whose Hint
// says what to do; its Resource and Fence are not looked at:
//
//   - guard.ErrRetry: not applied, since the condition of a Put did not hold, or for
//     other writes at the same time or just before;
//   - guard.ErrUnavailable: certainly not applied, and it may mend by itself;
//   - guard.ErrUnfit: the service will not do it as it is: no rights, no such bucket;
//   - anything else is a doubt: the request may have been applied, or may be so later.
//     A connection that could not be made (a *net.OpError of a dial) is none.
//
// No text of an error may hold a password.
type Bucket interface {
	// Get reads the value at a key, as the last acknowledged write left it, or fails
	// where it is longer than MaxBytes and MaxHeader. Where there is none the Object has
	// no Version, but a time all the same.
	Get(ctx context.Context, key string) (Object, error)

	// Put writes a value in the place of the one with this version, or of none where it
	// is "", in one atomic step.
	Put(ctx context.Context, key, version string, data []byte) error
}

// Object is what a read found at a key.
type Object struct {
	// Version is what the next Put compares. It is "" exactly where there is no value.
	Version string
	Data    []byte
	At      time.Time // the bucket's time when it answered
}

const (
	// MaxBytes is the length of the longest data that a guarded value holds.
	MaxBytes = 16 << 20
	// MaxHeader bounds the line before the data.
	MaxHeader = 16 << 10
)

const (
	again   = "send the same write again"
	foreign = "nothing but a guard may write to the object"
)

// unfit makes the error of a value that can't be guarded as it is.
func unfit(err error, hint string) error {
	return &guard.Error{Kind: guard.ErrUnfit, Err: err, Hint: hint}
}

// judge says what the error of a write means. What it can't name is a doubt.
func judge(err error) guard.Error {
	var e *guard.Error
	var network *net.OpError
	switch {
	case errors.As(err, &e):
		if errors.Is(e.Kind, guard.ErrUnknown) {
			return guard.Error{Kind: e.Kind, Err: e.Err, Hint: again}
		}
		return *e
	case errors.As(err, &network) && network.Op == "dial":
		return guard.Error{Kind: guard.ErrUnavailable, Err: err}
	}
	for _, kind := range []error{guard.ErrRetry, guard.ErrUnavailable, guard.ErrUnfit} {
		if errors.Is(err, kind) {
			return guard.Error{Kind: kind, Err: err}
		}
	}
	return guard.Error{Kind: guard.ErrUnknown, Err: err, Hint: again}
}

// unsent is an error where nothing that writes had been sent.
func unsent(err error) error {
	if err == nil {
		return nil
	}
	e := judge(err)
	if errors.Is(e.Kind, guard.ErrUnknown) {
		e = guard.Error{Kind: guard.ErrUnavailable, Err: e.Err, Hint: "nothing is applied"}
	}
	return &e
}
