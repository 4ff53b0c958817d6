package ringfence

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestAGrantTellsHowLongItTook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		first, err := b.TryAcquire(t.Context(), "report", Hold{TTL: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(3*time.Second, func() { _ = first.Release(t.Context()) })
		second, err := b.Acquire(t.Context(), "report", time.Minute, Hold{TTL: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		defer second.Abandon()
		var waited []time.Duration
		for _, e := range b.events {
			if e.Kind == EventGranted {
				waited = append(waited, e.Waited)
			} else if e.Waited != 0 {
				t.Errorf("%s waited %s", e.Kind, e.Waited)
			}
		}
		if len(waited) != 2 || waited[0] != 0 || waited[1] < 3*time.Second || waited[1] > 5*time.Second {
			t.Errorf("the grants took %v; want none, and the 3 s until the release", waited)
		}
	})
}
