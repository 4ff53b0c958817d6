package tableguard

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard/internal/sqlfault"
)

// The words of a guard's answers. PostgreSQL names the table behind "write to", MySQL in
// brackets at the end; a trigger of SQLite has but fixed texts, without a name or a number.
var (
	refusal = regexp.MustCompile(`(?s)ringfence refused the write(?: to (.+?))?: (\w+): (.*)`)
	repeat  = regexp.MustCompile(`(?s)ringfence: .* was applied before`)
	below   = regexp.MustCompile(`below (?:the mark )?(\d+)`)
	bracket = regexp.MustCompile(`\[([^\]]+)\]`)
)

// Answer reads what a guard answered to a write from the error of one of its statements,
// and reports whether it did answer: Refused, or Duplicate.
func (d Dialect) Answer(f fence.Fence, err error) (fence.Verdict, bool) {
	v := fence.Verdict{Outcome: fence.Refused, Resource: resource, Fence: f}
	if err == nil || !d.ofTrigger(err) {
		return v, false
	}
	text := err.Error()
	if repeat.MatchString(text) {
		v.Outcome, v.Mark = fence.Duplicate, f.Token
		return v, true
	}
	m := refusal.FindStringSubmatch(text)
	if m == nil {
		return v, false
	}
	v.Cause = causeOf(m[2])
	if at := bracket.FindStringSubmatch(m[3]); d == MySQL && at != nil {
		v.Resource = at[1]
	} else if m[1] != "" {
		v.Resource = m[1]
	}
	if mark := below.FindStringSubmatch(m[3]); mark != nil {
		n, _ := strconv.ParseInt(mark[1], 10, 64) // digits
		v.Mark = fence.Token(n)
	}
	v.Landed = v.Cause == fence.Superseded && strings.Contains(m[3], "had been applied")
	return v, v.Cause != fence.NoCause
}

// ofTrigger tells a trigger's error from another one, whose text may quote anything.
func (d Dialect) ofTrigger(err error) bool {
	var state interface{ SQLState() string }
	switch {
	case d == MySQL:
		n := sqlfault.MySQLNumber(err)
		return n >= 45000 && n <= 45007
	case errors.As(err, &state):
		return strings.HasPrefix(state.SQLState(), "RF")
	}
	return true // SQLite quotes no values
}
