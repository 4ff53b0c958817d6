package sqlfault

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// Subject is what a statement was about, for the text of an error.
type Subject struct {
	Resource string
	Fence    fence.Fence
	Guard    string // the package, which ends the transaction
	// Missing is what to do where a table of the guard is missing, or a right to it.
	Missing string
}

// Fail is a failure of that kind, with what is to be done.
func (s Subject) Fail(kind, err error, hint string) error {
	return &guard.Error{Kind: kind, Resource: s.Resource, Fence: s.Fence, Err: err, Hint: hint}
}

// Inside is the failure of a statement in an open transaction. Whatever happened,
// nothing is applied: the commit was not sent.
func (s Subject) Inside(err error) error {
	switch Classify(err) {
	case Transient:
		return s.Fail(guard.ErrRetry, err, "")
	case Missing:
		return s.Fail(guard.ErrUnfit, err, s.Missing)
	}
	return s.Fail(guard.ErrUnavailable, err, "nothing is applied")
}

// Alone is the failure of a statement that is a transaction of its own, or of a
// commit: without the database's own word, it may have been applied.
func (s Subject) Alone(err error) error {
	if Classify(err) == Unsure {
		return s.Fail(guard.ErrUnknown, err, "")
	}
	return s.Inside(err)
}

// Committed says what became of a transaction whose commit returned err.
func (s Subject) Committed(ctx context.Context, err error) error {
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil { // database/sql rolled it back
		return s.Fail(guard.ErrUnavailable, context.Cause(ctx), "nothing is applied")
	}
	if errors.Is(err, sql.ErrTxDone) || strings.Contains(err.Error(), "no transaction is active") || MySQLNumber(err) == NoSavepoint { // by Commit, or by a statement
		return s.Fail(guard.ErrUnknown, err, "the function ended the transaction itself; leave commit and rollback to "+s.Guard)
	}
	return s.Alone(err)
}

// Effect is the failure of the caller's own statements. It keeps the caller's error,
// and says where the transaction deserves another try.
func (s Subject) Effect(err error) error {
	if err != nil && Classify(err) == Transient && !errors.Is(err, guard.ErrRetry) {
		return s.Fail(guard.ErrRetry, err, "")
	}
	return err
}

// VerdictOf puts the verdict beside the error that it goes with.
func VerdictOf(err error) (fence.Verdict, error) {
	var e *guard.Error
	if errors.As(err, &e) {
		return e.Verdict(), err
	}
	return fence.Verdict{}, err
}

// Commit returns when ctx ends, as MySQL's driver does not while it waits for the
// answer to a commit; it is left behind to do that.
func Commit(ctx context.Context, tx *sql.Tx) error {
	answer := make(chan error, 1)
	go func() { answer <- tx.Commit() }()
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
	}
	select { // it may just have come
	case err := <-answer:
		return err
	case <-time.After(lastWord):
		return ctx.Err()
	}
}

// lastWord is how long a commit whose context has ended may still be answered, which
// is better than a doubt.
const lastWord = 10 * time.Millisecond
