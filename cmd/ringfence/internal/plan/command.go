package plan

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/ringfence-go/ringfence/guard"
)

// rule is the one by which the destination's guard judges the goal.
func (g Goal) rule() guard.Rule {
	switch g {
	case Once:
		return guard.Once
	case Sequence:
		return guard.Sequenced
	}
	return guard.Latest
}

// command is the command line that holds the lease, "" where there is none.
func (q Question) command(d destination, t duration) string {
	switch q.Goal {
	case CAS:
		return ""
	case Leader:
		return fmt.Sprintf("ringfence elect %s --lease %s --grace %s --if-unavailable wait -- ./job", quoted(q.Name), Span(t.lease), Span(t.grace))
	}
	hold := fmt.Sprintf("ringfence run %s --timeout %s --grace %s --if-unavailable fail -- ", quoted(q.Name), Span(q.Timeout), Span(t.grace))
	write := q.write(d)
	switch {
	case write == "":
		return hold + "./job"
	case d.code == "sql":
		return hold + "\\\n    " + write
	}
	return hold + "\\\n    " + quoted("./job > result; "+write, "sh -ec ")
}

// within is what each write of a command that goes on is, where a shell can make it.
func (q Question) within(d destination) string {
	if q.Goal == Leader {
		return q.write(d)
	}
	return ""
}

// write is one write of the goal, the first of its term.
func (q Question) write(d destination) string {
	write := d.write
	switch {
	case write == "":
	case d.code == "http":
		write = strings.Replace(write, " -d", q.headers()+" -d", 1)
	default:
		write += q.flags()
		if d.code == "sql" {
			write += " -f job.sql"
		}
	}
	return write
}

// flags are those of ringfence sql and publish.
func (q Question) flags() string {
	switch q.Goal {
	case Once:
		return " --rule once"
	case Sequence:
		return " --rule sequenced --seq 1"
	}
	return ""
}

// headers are those of package httpguard, beside the fence.
func (q Question) headers() string {
	switch q.Goal {
	case Once:
		return ` -H "Ringfence-Key: $(date +%F)"`
	case Sequence:
		return ` -H "Ringfence-Seq: 1" -H "Ringfence-Key: $(date +%F)-1"`
	}
	return ""
}

var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// quoted is a word for a shell, with what stands before it.
func quoted(word string, before ...string) string {
	if !plainWord.MatchString(word) {
		word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return strings.Join(before, "") + word
}
