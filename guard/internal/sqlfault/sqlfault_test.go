package sqlfault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

type stateError string

func (e stateError) Error() string    { return "ERROR: (SQLSTATE " + string(e) + ")" }
func (e stateError) SQLState() string { return string(e) }

type codeError int

func (e codeError) Error() string { return fmt.Sprintf("sqlite: code %d", int(e)) }
func (e codeError) Code() int     { return int(e) }

type unsent struct{}

func (unsent) Error() string     { return "conn closed" }
func (unsent) SafeToRetry() bool { return true }

func TestClassify(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want Class
	}{
		{stateError("40001"), Transient}, {stateError("40P01"), Transient}, {stateError("55P03"), Transient},
		{stateError("40003"), Unsure}, {stateError("08006"), Unsure}, {stateError("57P01"), Unsure}, {stateError("XX000"), Unsure}, {stateError(""), Unsure},
		{stateError("23505"), Failed}, {stateError("25006"), Failed},
		{stateError("42P01"), Missing}, {stateError("42501"), Missing},
		{codeError(5), Transient}, {codeError(517), Transient}, {codeError(6), Transient}, {codeError(19), Failed}, {codeError(10), Unsure},
		{errors.New("Error 1213 (40001): Deadlock found"), Transient}, {errors.New("Error 1205: Lock wait timeout"), Transient}, {errors.New("Error 1020 (HY000): Record has changed"), Transient},
		{errors.New("Error 1146 (42S02): Table 'a.ringfence_mark' doesn't exist"), Missing}, {errors.New("Error 1142 (42000): SELECT command denied"), Missing},
		{errors.New("Error 4025 (23000): CONSTRAINT failed: 'Error 1213 (40001): x'"), Failed}, {errors.New("Error 1180 (HY000): Got error during COMMIT"), Unsure}, {errors.New("invalid connection"), Unsure},
		{errors.New("database is locked"), Transient}, {errors.New("sqlite3: no such table: ringfence_mark"), Missing},
		{errors.New("commit unexpectedly resulted in rollback"), Failed},
		{unsent{}, Failed}, {io.ErrUnexpectedEOF, Unsure}, {context.DeadlineExceeded, Unsure}, {context.Canceled, Unsure},
	} {
		if got := Classify(fmt.Errorf("wrapped: %w", c.err)); got != c.want {
			t.Errorf("%v: %d; want %d", c.err, got, c.want)
		}
	}
}

// TestErrorsMatchOneSentinel: a failure is one thing, and never a refusal.
func TestErrorsMatchOneSentinel(t *testing.T) {
	t.Parallel()
	s := Subject{Resource: "r", Fence: fence.Fence{Name: "job", Token: 7}}
	for _, c := range []struct{ err, want error }{
		{s.Inside(io.EOF), guard.ErrUnavailable}, {s.Alone(io.EOF), guard.ErrUnknown},
		{s.Inside(stateError("40001")), guard.ErrRetry}, {s.Alone(stateError("40001")), guard.ErrRetry},
		{s.Alone(stateError("42P01")), guard.ErrUnfit}, {s.Alone(stateError("23505")), guard.ErrUnavailable},
		{s.Effect(codeError(5)), guard.ErrRetry},
	} {
		for _, kind := range []error{guard.ErrUnknown, guard.ErrRetry, guard.ErrUnavailable, guard.ErrUnfit, fence.ErrRefused} {
			if errors.Is(c.err, kind) != (kind == c.want) {
				t.Errorf("%v: matches %q: %t", c.err, kind, errors.Is(c.err, kind))
			}
		}
	}
	own := errors.New("the caller's own")
	if got := s.Effect(own); got != own {
		t.Errorf("got %v; want the caller's error as it is", got)
	}
}
