package ringfencetest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/ringfencetest"
)

// ear is a test that is told of failures and goes on.
type ear struct {
	testing.TB
	heard []string
}

func (e *ear) Helper()                        {}
func (e *ear) Errorf(format string, a ...any) { e.heard = append(e.heard, fmt.Sprintf(format, a...)) }

// theft is a destination that a holder has established before its lease was stolen.
func theft(t *testing.T) (e *ear, d *ringfencetest.Destination, old, thief fence.Fence) {
	t.Helper()
	e = &ear{TB: t}
	store := ringfencetest.New(e)
	lease := acquire(t, store.Locker(nil))
	d = ringfencetest.NewDestination(store, guard.Latest)
	for _, f := range []fence.Fence{lease.Fence(), store.Steal("job")} {
		if _, err := d.Establish(t.Context(), f); err != nil {
			t.Fatal(err)
		}
		old, thief = thief, f
	}
	return e, d, old, thief
}

func TestAssertionsTellWhatNoFenceProtected(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, c := range map[string]struct {
		do     func(d *ringfencetest.Destination, old, thief fence.Fence)
		fenced string // what AssertFenced complains of; empty is nothing
		stops  string // what AssertRefused complains of
	}{
		"refused, and stops": {func(d *ringfencetest.Destination, old, thief fence.Fence) {
			_, _ = d.Write(ctx, guard.Write{Fence: thief}, "new")
			_, _ = d.Write(ctx, guard.Write{Fence: old}, "late")
		}, "", ""},
		"past the guard": {func(d *ringfencetest.Destination, old, _ fence.Fence) {
			_, _ = d.Write(ctx, guard.Write{Fence: old}, "late")
			d.Put("by hand")
		}, `"by hand" was written without a fence`, ""},
		"with a number of its own": {func(d *ringfencetest.Destination, old, thief fence.Fence) {
			_, _ = d.Write(ctx, guard.Write{Fence: old}, "late")
			_, _ = d.Write(ctx, guard.Write{Fence: fence.Fence{Name: old.Name, Token: thief.Token + 1}}, "again")
		}, `"again" was written with token`, ""},
		"does not stop": {func(d *ringfencetest.Destination, old, _ fence.Fence) {
			_, _ = d.Write(ctx, guard.Write{Fence: old}, "late")
			_, _ = d.Write(ctx, guard.Write{Fence: old}, "later")
		}, "", `wrote "later" after it had been refused`},
		"writes nothing": {func(*ringfencetest.Destination, fence.Fence, fence.Fence) {}, "", "was refused: nothing newer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, d, old, thief := theft(t)
			c.do(d, old, thief)
			wantHeard(t, e, d.AssertFenced, c.fenced)
			wantHeard(t, e, func() { d.AssertRefused(old) }, c.stops)
		})
	}
}

func wantHeard(t *testing.T, e *ear, assert func(), want string) {
	t.Helper()
	e.heard = nil
	assert()
	switch {
	case want == "" && len(e.heard) > 0:
		t.Errorf("complains of %q", e.heard)
	case want != "" && (len(e.heard) != 1 || !strings.Contains(e.heard[0], want)):
		t.Errorf("got %q, want one with %q", e.heard, want)
	}
}
