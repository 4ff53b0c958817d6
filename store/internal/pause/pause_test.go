package pause

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/driver"
)

func TestPausesGrow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := Pause{First: time.Millisecond, Longest: 4 * time.Millisecond}
		for _, d := range []time.Duration{0, 1, 2, 4, 4} {
			d *= time.Millisecond
			began := time.Now()
			if err := p.Wait(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took < d/2 || took > d*3/2 {
				t.Errorf("a pause of %s; want half to one and a half of %s", took, d)
			}
		}
	})
}

func TestPauseEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := Pause{First: time.Hour, Longest: time.Hour}
		if err := p.Wait(ctx, nil); err != nil {
			t.Fatalf("the first pause: %v", err)
		}
		woken := make(chan struct{})
		close(woken)
		began := time.Now()
		if err := p.Wait(ctx, woken); err != nil || time.Since(began) != 0 {
			t.Errorf("woken after %s: %v; want another try at once", time.Since(began), err)
		}
		time.AfterFunc(time.Second, cancel)
		if err := p.Wait(ctx, nil); !errors.Is(err, context.Canceled) || time.Since(began) != time.Second {
			t.Errorf("its context ended: %v after %s; want that error at once", err, time.Since(began))
		}
		if err := new(Pause).Wait(ctx, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("a first pause without time: %v", err)
		}
	})
}

func TestPauseGivesUp(t *testing.T) {
	t.Parallel()
	p := Pause{Tries: 3}
	for range 2 {
		if err := p.Wait(t.Context(), nil); err != nil {
			t.Fatalf("a try is left: %v", err)
		}
	}
	if err := p.Wait(t.Context(), nil); !errors.Is(err, ErrBusy) || !errors.Is(err, driver.ErrUnavailable) {
		t.Errorf("after the third of 3 tries: %v; want busy, which is unavailable", err)
	}
}
