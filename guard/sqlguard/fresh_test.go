package sqlguard

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// TestTimeOfInputsIsAskedForBeforeSending: where an age is limited, a write without the
// time of its inputs is refused without a database.
func TestTimeOfInputsIsAskedForBeforeSending(t *testing.T) {
	t.Parallel()
	f := fence.Fence{Name: "job", Token: 7}
	c := Column{Dialect: SQLite, Table: "report", ID: "day", Fence: "fence", Lease: "job", Rule: guard.Latest, MaxAge: time.Minute}
	if v, err := c.Update(t.Context(), unused{t}, f, 1, "body = 'x'"); v.Cause != fence.Invalid || !errors.Is(err, fence.ErrRefused) {
		t.Errorf("column: %v (error %v); want it refused as invalid", v, err)
	}
	g, err := New(SQLite, "report", guard.Once, &Options{MaxAge: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := g.Admit(t.Context(), nil, guard.Write{Fence: f, Key: "k"}); v.Cause != fence.Invalid || !errors.Is(err, fence.ErrRefused) {
		t.Errorf("guard: %v (error %v); want it refused as invalid", v, err)
	}
	if _, err := New(SQLite, "report", guard.Once, &Options{MaxAge: time.Nanosecond}); !errors.Is(err, fence.ErrInvalid) {
		t.Errorf("an age of a nanosecond: %v", err)
	}
	c.MaxAge = time.Nanosecond
	if err := c.Check(); !errors.Is(err, fence.ErrInvalid) {
		t.Errorf("a column with an age of a nanosecond: %v", err)
	}
	if _, err := Now(t.Context(), unused{t}, 0); !errors.Is(err, fence.ErrInvalid) {
		t.Errorf("the clock of no dialect: %v", err)
	}
}

// TestFreshColumnIsTheOtherAndOneConditionMore: but for its purpose and its last line
// the statement is the one without a limit.
func TestFreshColumnIsTheOtherAndOneConditionMore(t *testing.T) {
	t.Parallel()
	c := Column{Table: "report", ID: "day", Fence: "fence", Lease: "job", Rule: guard.Latest}
	for c.Dialect = Postgres; c.Dialect <= MySQL; c.Dialect++ {
		_, plain, _ := strings.Cut(c.statement("column_update"), "\n")
		_, fresh, _ := strings.Cut(c.statement("column_fresh", "{as_of}", "1", "{max_age}", "60000"), "\n")
		rest, begins := strings.CutPrefix(fresh, plain)
		if want := "BETWEEN -60000 AND 60000"; !begins || !strings.HasPrefix(rest, "AND ") || !strings.HasSuffix(rest, want+"\n") {
			t.Errorf("%s:\n%s\nwant\n%s%s", c.Dialect, fresh, plain, fmt.Sprint("AND ... ", want))
		}
	}
}
