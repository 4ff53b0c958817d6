package memstore

import (
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

// TestNothingIsLeftOfALine: its last waiter is served, or leaves.
func TestNothingIsLeftOfALine(t *testing.T) {
	t.Parallel()
	s := New(nil)
	for _, name := range []string{"served", "left"} {
		r := driver.Request{Name: name, Attempt: "a", Holder: "test", TTL: time.Second}
		if _, err := s.Wait(t.Context(), r, driver.MaxKeep); err != nil {
			t.Fatal(err)
		}
		var err error
		if name == "served" {
			_, err = s.Acquire(t.Context(), r)
		} else {
			err = s.Leave(t.Context(), name, "a")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(s.shared.lines) != 0 {
		t.Errorf("%d lines are kept for nobody", len(s.shared.lines))
	}
}
