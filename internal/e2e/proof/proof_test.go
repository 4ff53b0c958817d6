package proof

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ringfence-go/ringfence/internal/e2e/system"
)

// The harms that the mechanisms prevent. What else goes wrong in a proof is an
// error that matches none of them.
var (
	errOverwritten = errors.New("a stale write overwrote newer work")
	errStolen      = errors.New("a late release ended another's term")
	errEarly       = errors.New("a name was granted before its lease had ended")
	errRemaining   = errors.New("what is left of a lease was told wrong")
	errWinners     = errors.New("a name was not granted exactly once")
	errRepeated    = errors.New("a number was handed out a second time, or a lower one after it")
)

func TestMain(m *testing.M) { system.Main(m, faults) }

// faults are the twins of stores, by the name that a child process is told.
var faults = system.Faults{
	"releases by name":       releasesByName,
	"judges by caller":       judgesByCaller,
	"looks, then writes":     looksThenWrites,
	"counts from its record": countsFromItsRecord,
}

// prove checks a finding: nil for the real system, the harm for its twin.
func prove(t *testing.T, harm, found error) {
	t.Helper()
	switch {
	case harm == nil && found != nil:
		t.Error(found)
	case harm != nil && !errors.Is(found, harm):
		t.Errorf("without the mechanism the proof found %v; it must find: %v", found, harm)
	}
}

// harmful is a finding with its facts.
func harmful(harm error, format string, args ...any) error {
	return fmt.Errorf("%w: %s", harm, fmt.Sprintf(format, args...))
}

// want fails unless a step came out as it had to for the proof to go on.
func want(outcome, who string, a system.Answer) error {
	if a.Outcome != outcome {
		return fmt.Errorf("%s: got %s; want %s", who, a, outcome)
	}
	return nil
}

// agent is a party in this process.
func agent(t testing.TB, c system.Config) *system.Agent {
	t.Helper()
	a, err := system.NewAgent(t.Context(), c, faults)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	return a
}
