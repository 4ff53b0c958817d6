package tableguard

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// stateError is an error as PostgreSQL's drivers have it.
type stateError struct{ state, text string }

func (e stateError) Error() string    { return "ERROR: " + e.text + " (SQLSTATE " + e.state + ")" }
func (e stateError) SQLState() string { return e.state }

func TestAnswers(t *testing.T) {
	t.Parallel()
	f := fence.Fence{Name: "job", Token: 10}
	refused := func(c fence.Cause, resource string, mark fence.Token, landed bool) fence.Verdict {
		return fence.Verdict{Outcome: fence.Refused, Cause: c, Resource: resource, Fence: f, Mark: mark, Landed: landed}
	}
	twice := fence.Verdict{Outcome: fence.Duplicate, Resource: resource, Fence: f, Mark: 10}
	for _, c := range []struct {
		dialect Dialect
		err     error
		want    fence.Verdict
	}{
		{Postgres, stateError{"RF001", "ringfence refused the write to public.report: superseded: token 10 is below the mark 11"}, refused(fence.Superseded, "public.report", 11, false)},
		{Postgres, stateError{"RF001", "ringfence refused the write to report: superseded: token 10 is below 12, the last one granted"}, refused(fence.Superseded, "report", 12, false)},
		{Postgres, stateError{"RF001", "ringfence refused the write to report: superseded: token 10 is below the mark 11; this write had been applied"}, refused(fence.Superseded, "report", 11, true)},
		{Postgres, stateError{"RF007", "ringfence refused the write to public.\"a: table \n of 3\": invalid: this session carries no fence"}, refused(fence.Invalid, "public.\"a: table \n of 3\"", 0, false)},
		{Postgres, stateError{"RF000", "ringfence: write 3 of token 10 to report was applied before"}, twice},
		{MySQL, errors.New("Error 45005 (RF005): ringfence refused the write: not_established: the lease has no mark here [report]"), refused(fence.NotEstablished, "report", 0, false)},
		{MySQL, errors.New("Error 45001 (RF001): ringfence refused the write: superseded: token 10 is below the mark 9007199254740991; it had been applied [a long n"),
			refused(fence.Superseded, resource, fence.MaxToken, true)},
		{MySQL, errors.New("Error 45000 (RF000): ringfence: write 1 of token 10 was applied before. Go on [report]"), twice},
		{SQLite, errors.New("constraint failed: ringfence refused the write: invalid: the fence is for another lease. Run (1811)"), refused(fence.Invalid, resource, 0, false)},
		{SQLite, errors.New("ringfence: this write was applied before. Nothing was changed now. Go on"), twice},
	} {
		if got, ok := c.dialect.Answer(f, fmt.Errorf("insert: %w", c.err)); !ok || got != c.want {
			t.Errorf("%v: %+v, %t; want %+v", c.err, got, ok, c.want)
		}
	}
}

// A value that an error quotes must not pass for a guard's answer.
func TestAnswersOfNobody(t *testing.T) {
	t.Parallel()
	const answer = "ringfence refused the write to report: superseded: token 10 is below the mark 11"
	for _, c := range []struct {
		dialect Dialect
		err     error
	}{
		{Postgres, nil}, {MySQL, nil}, {SQLite, errors.New("database is locked")},
		{Postgres, stateError{"23505", "duplicate key value: " + answer}},
		{MySQL, errors.New("Error 1062 (23000): Duplicate entry 'Error 45001 (RF001): " + answer + "' for key")},
		{MySQL, errors.New(answer)},
		{Postgres, stateError{"RF009", "ringfence refused the write to report: unheard of: x"}},
	} {
		if v, ok := c.dialect.Answer(fence.Fence{}, c.err); ok {
			t.Errorf("%v was read as %v", c.err, v)
		}
	}
}

func TestDialects(t *testing.T) {
	t.Parallel()
	for _, d := range []Dialect{0, MySQL + 1} {
		db := On(nil, d)
		_, err1 := db.List(t.Context())
		_, err2 := db.Refusals(t.Context())
		_, err3 := db.Marks(t.Context(), "")
		err4 := d.Carry(t.Context(), nil, guard.Write{})
		for _, err := range []error{db.Install(t.Context(), Table{Name: "t", Lease: "l"}), err1, err2, err3, err4} {
			if !errors.Is(err, fence.ErrInvalid) || d.String() != "undefined" {
				t.Errorf("%d, %s: %v", d, d, err)
			}
		}
	}
}
