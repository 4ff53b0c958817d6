package storetest

import (
	"errors"
	"testing"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/recorder"
)

func TestFindingsAreLookedAt(t *testing.T) {
	t.Parallel()
	good := driver.Finding{Subject: "clock", Grade: driver.Fit, Found: "in time", Means: "tokens rise with it"}
	bad := driver.Finding{Subject: "memory", Grade: driver.Unfit, Found: "evicts", Means: "leases vanish", Do: "set noeviction"}
	mute, idle := bad, good
	mute.Do, idle.Do = "", "something"
	all := []driver.Finding{good, bad}
	for _, c := range []struct {
		what   string
		body   func(T)
		passes bool
	}{
		{"complete", func(t T) { Findings(t, all, nil) }, true},
		{"an error", func(t T) { Findings(t, all, errors.New("refused")) }, false},
		{"nothing to do about it", func(t T) { Findings(t, []driver.Finding{mute}, nil) }, false},
		{"something to do about what is fit", func(t T) { Findings(t, []driver.Finding{idle}, nil) }, false},
		{"there", func(t T) { WantFinding(t, all, "memory", driver.Unfit, "noeviction") }, true},
		{"another subject", func(t T) { WantFinding(t, all, "clock", driver.Fit, "noeviction") }, false},
		{"another grade", func(t T) { WantFinding(t, all, "memory", driver.Warning, "noeviction") }, false},
		{"all fit", func(t T) { WantFit(t, all[:1]) }, true},
		{"not all fit", func(t T) { WantFit(t, all) }, false},
	} {
		if failures, _ := recorder.Run(t.Context(), c.body); (len(failures) == 0) != c.passes {
			t.Errorf("%s: %q; want it to pass: %t", c.what, failures, c.passes)
		}
	}
}
