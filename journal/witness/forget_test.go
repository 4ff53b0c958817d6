package witness

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/fence"
)

func TestTermsThatEndedByThemselvesAreForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := New(nil, nil)
		for i := range 1000 {
			w.Saw(ringfence.Event{Kind: ringfence.EventGranted, Fence: fence.Fence{Name: "job", Token: fence.Token(i + 1)}, Until: time.Now().Add(time.Minute)})
			time.Sleep(10 * time.Minute)
		}
		if n := len(w.terms); n > 64 {
			t.Errorf("%d terms are remembered", n)
		}
	})
}
