package system

import (
	"errors"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// patience is how long anything may take that has to happen, on a busy machine.
const patience = 60 * time.Second

// Poll asks done again and again, and fails after a limit that is generous for a
// busy machine. It is for what only a real server's clock can bring.
func Poll(done func() (bool, error)) error {
	every := time.NewTicker(2 * time.Millisecond)
	defer every.Stop()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-every.C {
		if ok, err := done(); ok || err != nil {
			return err
		}
	}
	return errors.New("it did not happen in " + patience.String())
}

// Await is Poll for a test.
func Await(t testing.TB, what string, done func() bool) {
	t.Helper()
	if err := Poll(func() (bool, error) { return done(), nil }); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// AwaitState waits until the store says that a name is in a state.
func AwaitState(t testing.TB, s driver.Store, name string, want driver.State) {
	t.Helper()
	Await(t, name+" is "+string(want), func() bool {
		rec, err := s.Inspect(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		return rec.State == want
	})
}

// Pass lets time go by, for work that takes it; not for waiting on anything.
func Pass(d time.Duration) { <-time.After(d) }
