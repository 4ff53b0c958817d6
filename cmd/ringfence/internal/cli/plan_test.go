package cli

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/cmd/ringfence/internal/plan"
)

// TestPlannedGraceLeavesTheWorkItsTime: between TERM and KILL lies what the work was said to need.
func TestPlannedGraceLeavesTheWorkItsTime(t *testing.T) {
	t.Parallel()
	for _, need := range []time.Duration{10 * time.Millisecond, 11 * time.Millisecond, time.Second, 2999 * time.Millisecond, 3 * time.Second, time.Hour} {
		for _, goal := range []plan.Goal{plan.Once, plan.Leader} {
			a, err := plan.Of(plan.Question{Name: "report", Goal: goal, Destination: "postgres", Timeout: time.Minute, Abort: need})
			if err != nil {
				t.Fatal(err)
			}
			grace := time.Duration(a.GraceSeconds * float64(time.Second))
			if left := grace - lastMoment(grace); left < need || left > need+20*time.Millisecond {
				t.Errorf("%s: a grace of %s leaves %s; want %s", goal, grace, left, need)
			}
		}
	}
}

// TestPlanNamesCommandsThatExist: also in its sentences.
func TestPlanNamesCommandsThatExist(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`ringfence ((guard )?[a-z]+)`)
	found := 0
	for _, goal := range plan.Goals() {
		for _, destination := range plan.Destinations() {
			a, err := plan.Of(plan.Question{Name: "report", Goal: plan.Goal(goal), Destination: destination, Timeout: time.Hour, Abort: time.Second})
			if err != nil {
				continue // a contradiction
			}
			for _, m := range named.FindAllStringSubmatch(strings.Join(append(a.Open, a.Check, a.Command, a.Within), "\n"), -1) {
				found++
				words := strings.Fields(m[1])
				if c, rest, err := (&app{}).root().Find(words); err != nil || len(rest) > 0 || c.Name() != words[len(words)-1] {
					t.Errorf("%s to %s: there is no ringfence %s (%v)", goal, destination, m[1], err)
				}
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d commands are named", found)
	}
}
