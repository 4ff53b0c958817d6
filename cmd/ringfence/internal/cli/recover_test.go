package cli

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
)

func TestCheckAbove(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	limit := fence.FutureLimit(fence.TickOf(now))
	for _, c := range []struct {
		token fence.Token
		force bool
		want  string
	}{
		{1, false, ""},
		{limit, false, ""},
		{limit + fence.TokensPerTick, false, "belongs to 2026-11-30T12:00:00Z, more than a day ahead of this clock: "},
		{limit + fence.TokensPerTick, true, ""},
		{fence.MaxToken - 1, false, "add --force"},
		{fence.MaxToken - 1, true, ""},
		{fence.MaxToken, false, "the highest token there is"},
		{fence.MaxToken, true, "the highest token there is"},
	} {
		err := checkAbove(c.token, now, c.force)
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("--above %s, forced %t: %v, want %q", c.token, c.force, err, c.want)
		case err != nil && status(err) != exitUsage:
			t.Errorf("--above %s: status %d", c.token, status(err))
		}
	}
}

func TestInterruptedRecoverySaysWhatStays(t *testing.T) {
	t.Parallel()
	interrupted := &exitError{exitSignal + 2, errors.New("ended by the signal interrupt")}
	if err := halfWay(interrupted, false); status(err) != 130 || !strings.HasSuffix(err.Error(), "what was raised stays: run it again") {
		t.Errorf("status %d, %v", status(err), err)
	}
	for _, err := range []error{nil, usage("wrong"), errors.New("surprise")} {
		if got := halfWay(err, false); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
	if err := halfWay(interrupted, true); err != error(interrupted) {
		t.Errorf("after a dry run: %v", err)
	}
}
