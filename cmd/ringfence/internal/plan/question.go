// Package plan chooses the tool for a piece of work, derives the lease that it needs,
// and writes the command and the Go code to begin with. It asks no store and changes
// nothing.
package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Goal is what must hold for the writes of the work.
type Goal string

// The goals, by the words of the command line.
const (
	Once     Goal = "once"     // one result, which nothing older may overwrite
	Sequence Goal = "sequence" // several writes, each of which counts once, in order
	Leader   Goal = "leader"   // work without an end, of which one machine of many does it
	CAS      Goal = "cas"      // a value is read and changed; who has read an old one may not write
)

// Goals are all there are.
func Goals() []string { return []string{string(Once), string(Sequence), string(Leader), string(CAS)} }

// DefaultNotice and DefaultAbort are what the work is given where nothing is said: the
// grace that package ringfence gives it.
const (
	DefaultNotice = ringfence.DefaultGrace / 2
	DefaultAbort  = ringfence.DefaultGrace / 2
)

// Question is what somebody who plans has to know.
type Question struct {
	// Name is that of the lease.
	Name string
	Goal Goal
	// Destination is one of Destinations, or another word for it.
	Destination string

	// Timeout is the enforced limit on the work. Of a leader's, which has none, it is the
	// limit on one step, or 0 where steps end with their context. CAS takes no notice of it.
	Timeout time.Duration
	// Notice is how long the work may take until it sees that it has to end.
	Notice time.Duration
	// Abort is how long it then may take to end.
	Abort time.Duration
}

// ParseGoal reads a goal.
func ParseGoal(word string) (Goal, error) {
	if slices.Contains(Goals(), word) {
		return Goal(word), nil
	}
	return "", invalid("--goal %s: want once, sequence, leader or cas", fence.Quote(word))
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w %w", fence.ErrInvalid, fmt.Errorf(format, args...))
}

// check reports what is wrong with q, or which two of its parts contradict each other.
func (q Question) check() error {
	if err := q.checkName(); err != nil {
		return err
	}
	if _, err := ParseGoal(string(q.Goal)); err != nil {
		return err
	}
	d, err := lookUp(q.Destination)
	if err != nil {
		return err
	}
	if q.Goal == CAS {
		return d.checkCompares()
	}
	return q.checkDurations()
}

func (q Question) checkName() error {
	if strings.HasPrefix(q.Name, "-") {
		return invalid("name %s: a command line would take it for a flag", fence.Quote(q.Name))
	}
	return fence.CheckName(q.Name)
}

func (q Question) checkDurations() error {
	for _, d := range []struct {
		flag  string
		value time.Duration
	}{{"timeout", q.Timeout}, {"notice", q.Notice}, {"abort", q.Abort}} {
		if d.value < 0 || d.value > driver.MaxTTL {
			return invalid("--%s %s: want 0s to 720h, which are 30 days", d.flag, Span(d.value))
		}
	}
	switch {
	case q.Timeout == 0 && q.Goal != Leader:
		return invalid("--timeout 0s: say after how long the work is ended; work without an end has the goal leader")
	case q.Notice+q.Abort < least:
		return invalid("--notice %s and --abort %s: want %s at least for both together, in which processes end", Span(q.Notice), Span(q.Abort), least)
	}
	return nil
}

// least is the shortest time in which a process can be seen to end.
const least = 10 * time.Millisecond

// Span renders a duration as flags take it, without the zeros that Go puts behind it:
// 10m, not 10m0s.
func Span(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
