package open

import (
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// TestPostgresWakesWhoseTurnItIs: the first in line is told of a release, whoever has
// listened for longer.
func TestPostgresWakesWhoseTurnItIs(t *testing.T) {
	t.Parallel()
	target, err := Parse(realserver.SharedPostgres(t))
	if err != nil {
		t.Fatal(err)
	}
	s := target.Lazy()
	t.Cleanup(func() { _ = s.Close() })
	request := func(attempt string) driver.Request {
		return driver.Request{Name: "report", Attempt: attempt, Holder: attempt, TTL: time.Minute}
	}
	held, err := s.Acquire(t.Context(), request("holder"))
	if err != nil {
		t.Fatal(err)
	}
	for _, attempt := range []string{"first", "second"} {
		if _, err := s.Wait(t.Context(), request(attempt), driver.MaxKeep); err != nil {
			t.Fatal(err)
		}
	}
	hints := map[string]<-chan struct{}{}
	for _, attempt := range []string{"second", "first"} {
		if hints[attempt], err = s.WatchTurn(t.Context(), "report", attempt); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Release(t.Context(), held); err != nil {
		t.Fatal(err)
	}
	select {
	case <-hints["first"]:
	case <-hints["second"]:
		t.Error("the second in line was told, who listened first")
	case <-time.After(20 * time.Second):
		t.Error("nobody was told")
	}
}
