package witness_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence"
	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
	"github.com/ringfence-go/ringfence/journal/filejournal"
	"github.com/ringfence-go/ringfence/journal/history"
	"github.com/ringfence-go/ringfence/journal/witness"
	"github.com/ringfence-go/ringfence/store/memstore"
)

// log is what a journal holds, in the order of events.
func log(t *testing.T, j journal.Journal) (all []journal.Event) {
	t.Helper()
	for e, err := range j.Read(t.Context(), journal.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	slices.Reverse(all)
	return all
}

func kinds(events []journal.Event) string {
	var all []string
	for _, e := range events {
		all = append(all, string(e.Kind))
	}
	return strings.Join(all, " ")
}

func TestALockersLeasesAreOnRecord(t *testing.T) {
	t.Parallel()
	j := filejournal.Open(filepath.Join(t.TempDir(), "journal"), nil)
	recorder := journal.NewRecorder(j, nil)
	w := witness.New(recorder, &witness.Options{Detail: "rollup"})
	store := memstore.New(nil)
	l, err := ringfence.New(store, &ringfence.Options{OnEvent: w.Saw, Holder: "web-1"})
	if err != nil {
		t.Fatal(err)
	}
	work := ringfence.Work{Timeout: time.Minute, Unavailable: ringfence.Fail}
	err = l.Run(t.Context(), "job", work, func(_ context.Context, lease *ringfence.Lease) error {
		recorder.Verdict(fence.Verdict{Outcome: fence.Refused, Cause: fence.Superseded, Fence: lease.Fence(), Resource: "rows"})
		w.Ended(lease.Fence(), "done")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = l.Run(t.Context(), "job", work, func(ctx context.Context, _ *ringfence.Lease) error {
		_, err := store.Break(ctx, "job", "ops")
		return err
	})
	if !errors.Is(err, ringfence.ErrLost) {
		t.Fatal(err)
	}
	if err := recorder.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := log(t, j)
	if kinds(got) != "granted refused ended released granted suspect" {
		t.Fatal(kinds(got))
	}
	if g := got[0]; g.Holder != "web-1" || g.Detail != "rollup" || g.Token == 0 || !g.Until.After(g.At.Add(time.Minute)) {
		t.Errorf("%+v", g)
	}
	if e := got[2]; e.Holder != "web-1" || e.Detail != "done" {
		t.Errorf("%+v", e)
	}
	if s := got[5]; s.Cause != "forced" || s.Token != got[4].Token || s.Holder != "web-1" {
		t.Errorf("%+v", s)
	}
}

// TestWhatEachEventBecomes: renewals in time are none, one after a failed one is late,
// and the end of a lost term knows until when it was trusted.
func TestWhatEachEventBecomes(t *testing.T) {
	t.Parallel()
	j := filejournal.Open(filepath.Join(t.TempDir(), "journal"), nil)
	recorder := journal.NewRecorder(j, nil)
	w := witness.New(recorder, nil)
	f := fence.Fence{Name: "job", Token: 7}
	at := time.Now().Add(time.Minute)
	ended := func(cause ringfence.EndCause) error { return &ringfence.EndedError{Fence: f, Cause: cause} }
	for _, e := range []ringfence.Event{
		{Kind: ringfence.EventRenewed, Fence: f, Until: at}, // of a term that was granted before
		{Kind: ringfence.EventWaiting, Fence: fence.Fence{Name: "job"}},
		{Kind: ringfence.EventGranted, Fence: f, Holder: "h", Until: at},
		{Kind: ringfence.EventRenewed, Fence: f, Until: at.Add(time.Minute)},
		{Kind: ringfence.EventRenewFailed, Fence: f},
		{Kind: ringfence.EventRenewFailed, Fence: f},
		{Kind: ringfence.EventRenewed, Fence: f, Until: at.Add(2 * time.Minute)},
		{Kind: ringfence.EventRenewed, Fence: f, Until: at.Add(3 * time.Minute)},
		{Kind: ringfence.EventLost, Fence: f, Err: ended(driver.EndUnreachable)},
		{Kind: ringfence.EventUntold, Fence: f, Until: at.Add(4 * time.Minute)},
		{Kind: ringfence.EventSkipped, Fence: fence.Fence{Name: "job"}},
		{Kind: ringfence.EventUnfenced, Fence: fence.Fence{Name: "job"}},
		{Kind: ringfence.EventLost, Fence: f, Err: ended(driver.EndSuperseded)},
		{Kind: ringfence.EventLost, Fence: f, Err: ended(driver.EndForced)},
	} {
		w.Saw(e)
	}
	if err := recorder.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := log(t, j)
	if kinds(got) != "granted renewed_late expired release_untold unfenced superseded forced" {
		t.Fatal(kinds(got))
	}
	if lost := got[2]; lost.Cause != "unreachable" || lost.Until.Sub(at).Round(time.Second) != 3*time.Minute {
		t.Errorf("%+v", lost)
	}
}

func Example() {
	j := filejournal.Open("/var/log/ringfence/journal", nil)
	recorder := journal.NewRecorder(j, nil)
	defer func() {
		if err := recorder.Close(context.Background()); err != nil {
			fmt.Println(err) // the work is what it was
		}
	}()
	store := memstore.New(nil)
	locker, err := ringfence.New(store, &ringfence.Options{OnEvent: witness.New(recorder, nil).Saw})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = locker
}

// TestATermThatNobodyWorkedUnderIsNoSuspect: one of several names is lost while another is
// waited for.
func TestATermThatNobodyWorkedUnderIsNoSuspect(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := filejournal.Open(filepath.Join(t.TempDir(), "journal"), nil)
		recorder := journal.NewRecorder(j, nil)
		store := memstore.New(nil)
		l, err := ringfence.New(store, &ringfence.Options{OnEvent: witness.New(recorder, nil).Saw})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := store.Acquire(t.Context(), driver.Request{Name: "b", Attempt: "another", TTL: time.Hour}); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(10*time.Second, func() { _, _ = store.Break(context.Background(), "a", "ops") })
		hold := ringfence.Hold{TTL: 9 * time.Second, Kind: ringfence.Kind{Also: []string{"b"}}}
		if _, err := l.Acquire(t.Context(), "a", time.Minute, hold); !errors.Is(err, ringfence.ErrHeld) {
			t.Fatal(err)
		}
		if err := errors.Join(l.Close(t.Context()), recorder.Close(t.Context())); err != nil {
			t.Fatal(err)
		}
		events := log(t, j)
		if found := history.Suspects(events, true); len(found) != 0 || kinds(events) == "" {
			t.Errorf("suspect: %+v, by %s", found, kinds(events))
		}
	})
}

// TestATermLostWhileADelayPassesIsNoSuspect: the holder has it, and has not begun to work.
func TestATermLostWhileADelayPassesIsNoSuspect(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := filejournal.Open(filepath.Join(t.TempDir(), "journal"), nil)
		recorder := journal.NewRecorder(j, nil)
		store := memstore.New(nil)
		l, err := ringfence.New(store, &ringfence.Options{OnEvent: witness.New(recorder, nil).Saw})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(10*time.Second, func() { _, _ = store.Break(context.Background(), "a", "ops") })
		hold := ringfence.Hold{TTL: 9 * time.Second, Kind: ringfence.Kind{DelayAfterExpiry: time.Minute}}
		if _, err := l.TryAcquire(t.Context(), "a", hold); err == nil {
			t.Fatal("it was handed out")
		}
		if err := errors.Join(l.Close(t.Context()), recorder.Close(t.Context())); err != nil {
			t.Fatal(err)
		}
		events := log(t, j)
		if found := history.Suspects(events, true); len(found) != 0 || !strings.HasPrefix(kinds(events), "granted") {
			t.Errorf("suspect: %+v, by %s", found, kinds(events))
		}
	})
}
