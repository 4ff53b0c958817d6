package casstore

import (
	"context"
	"errors"
	"time"
)

// Bucket is a place for values, written for this package by whoever knows a service.
// Its methods may be called by many goroutines at once, and each makes one request:
// a client that repeats requests by itself must be told not to, since its last error
// would not say whether an earlier try had arrived. They return soon after their
// context ends, which is within [Options.Patience] at the latest.
//
// A key has up to 700 bytes, all of them letters, digits and any of - _ . /, and
// [Options.Prefix] before that.
//
// # Errors
//
// An error says what it means by what it matches, best as a *driver.Fault whose Hint
// says what to do:
//
//   - [ErrMoved]: the condition of a Put did not hold;
//   - [ErrBusy]: not applied, for writes at the same time or just before;
//   - driver.ErrUnavailable: certainly not applied, and it may mend by itself;
//   - driver.ErrUnfit: the service will not do it as it is: no rights, no such bucket,
//     no such condition, an answer without a time;
//   - anything else is a doubt: the request may have been applied, or may be so later.
//     A connection that could not be made (a *net.OpError of a dial) is none, and needs
//     no classification; nor does an end of the context.
//
// No text of an error may hold a password.
type Bucket interface {
	// Get reads the value at a key, as the last acknowledged write left it: never an
	// older one, of a cache or a replica that lags. Where there is none the Object has
	// no Version, but a time all the same.
	Get(ctx context.Context, key string) (Object, error)

	// Put writes a value in the place of the one with this version, or of none where it
	// is "", in one atomic step: of several at once under one condition, one succeeds.
	// Otherwise nothing changes, and the error matches ErrMoved. It returns the time of
	// the answer.
	Put(ctx context.Context, key, version string, data []byte) (at time.Time, err error)

	// List lists up to limit keys, one or more, that begin with prefix and come after
	// the given one, in byte order. Fewer are fine, if more says that there are others
	// after them. Every key that was written before the call is among them.
	List(ctx context.Context, prefix, after string, limit int) (keys []string, more bool, err error)
}

// Object is what a read found at a key.
type Object struct {
	// Version is what the next Put compares: a generation, an ETag, a version number.
	// It is "" exactly where there is no value.
	Version string
	Data    []byte
	// Wrote is when this version was written, stamped by the bucket in that write.
	Wrote time.Time
	// At is the bucket's time when it answered, cut to whole units. The times of all
	// answers and stamps are of one clock, to within Options.Apart.
	At time.Time
}

func (o Object) found() bool { return o.Version != "" }

// The errors of a Bucket beside those of package driver.
var (
	// ErrMoved: the value is not the one that the condition of a write names.
	ErrMoved = errors.New("the value is not the one that was read")
	// ErrBusy: the bucket did not take a write because of others to the same key, at
	// the same time or just before. It will take it later: after a second, say.
	ErrBusy = errors.New("the value is being written by others")
)
