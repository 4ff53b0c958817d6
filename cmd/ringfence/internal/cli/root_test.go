package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// deaf is a store whose server never answers the goodbye.
type deaf struct{ gone chan struct{} }

func (d deaf) Close() error { <-d.gone; return nil }

func TestCloseSoonDoesNotWaitForADeafServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, begun := deaf{make(chan struct{})}, time.Now()
		defer close(d.gone)
		closeSoon(d)
		if took := time.Since(begun); took > time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

func TestStatus(t *testing.T) {
	t.Parallel()
	lost := &ringfence.LostError{Cause: ringfence.EndForced, Err: &exitError{code: 3}}
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{usage("wrong"), exitUsage},
		{fmt.Errorf("a name: %w", fence.ErrInvalid), exitUsage},
		{&ringfence.Error{Err: &driver.HeldError{Name: "x"}}, exitHeld},
		{&ringfence.Error{Err: &driver.FullError{Name: "x"}}, exitHeld},
		{&ringfence.Error{Err: &driver.Fault{Kind: driver.ErrUnavailable}}, exitUnavailable},
		{&ringfence.Error{Err: &driver.Fault{Kind: driver.ErrUnknown}}, exitUnavailable},
		{&driver.Fault{Kind: driver.ErrUnfit}, exitUnavailable},
		{&exitError{code: 3}, 3},
		{fmt.Errorf("on its way: %w", &exitError{code: 3}), 3},
		{lost, exitLost},
		{errors.New("surprise"), exitInternal},
	} {
		if got := status(c.err); got != c.want {
			t.Errorf("status(%v) = %d, want %d", c.err, got, c.want)
		}
	}
}

func TestSayIsOneLineWithoutAPassword(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	(&app{err: &out}).say("at postgres://u:%s@h: context deadline exceeded\n\tdial\nagain", "c4n4ry")
	if got, want := out.String(), "ringfence: at postgres://u:***@h: no answer in time dial: again\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestPasswordIsWarnedOfOnceWithWhatHelps(t *testing.T) {
	t.Parallel()
	const begin = "ringfence: warning: every user of this machine can read the password in "
	for url, want := range map[string]string{
		"redis://u:c4n4ry@h":       "--store in its process list; put the URL into RINGFENCE_STORE\n",
		"postgres://u:c4n4ry@h/db": "--store in its process list; put the URL into RINGFENCE_STORE, or put the password into a file named by PGPASSFILE\n",
		"mysql://u:c4n4ry@h/db":    "--store in its process list; put the URL into RINGFENCE_STORE, or put the password into MYSQL_PWD\n",
	} {
		var out strings.Builder
		a := &app{err: &out, storeURL: url}
		if _, err := a.recoveryPlan(recoverFlags{}, false); err != nil {
			t.Error(err)
		}
		if _, err := a.target(); err != nil || out.String() != begin+want {
			t.Errorf("%q, %v; want %q", out.String(), err, begin+want)
		}
	}
	var out strings.Builder
	if _, err := (&app{err: &out}).targets("--destination", []string{"redis://u:c4n4ry@h"}); err != nil || strings.Contains(out.String(), storeEnv) {
		t.Errorf("%q, %v; want no word of %s, which is not read for it", out.String(), err, storeEnv)
	}
}

func TestSpan(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0s", time.Nanosecond: "1ns", 90 * time.Second: "1m30s", 10 * time.Minute: "10m", 720 * time.Hour: "720h",
		time.Hour + time.Second: "1h0m1s", 100 * time.Millisecond: "100ms", 20 * time.Hour: "20h", 2*time.Hour + 10*time.Minute: "2h10m",
	} {
		if got := span(d); got != want {
			t.Errorf("span(%d) = %s, want %s", d, got, want)
		}
	}
}
