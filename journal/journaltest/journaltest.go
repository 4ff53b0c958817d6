// Package journaltest is the suite that every journal passes.
package journaltest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
)

// Run tests the journals that open makes, each of them empty. Their clock is within a
// minute of the test's.
func Run(t *testing.T, open func(t *testing.T) journal.Journal) {
	for _, c := range clauses {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t, open(t))
		})
	}
}

var clauses = []struct {
	name  string
	check func(*testing.T, journal.Journal)
}{
	{"J01 events come back, the last first", comeBack},
	{"J02 a name's events, and the store's", byName},
	{"J03 events of a time", byTime},
	{"J04 an id counts once", counted},
	{"J05 bad events are refused with all others", refused},
	{"J06 many events, page by page", pages},
	{"J07 prune by number", pruneNumber},
	{"J08 prune by age", pruneAge},
	{"J09 how long ago is what counts", ages},
	{"J10 appended at once", together},
	{"J11 an ended context", ended},
	{"J12 an empty journal", empty},
	{"J13 prune counts events, not batches", pruneBatches},
}

func event(kind journal.Kind, name string, n int) journal.Event {
	return journal.Event{ID: fmt.Sprintf("%s-%s-%d", kind, name, n), Kind: kind, Name: name, Token: fence.Token(n), At: time.Now()}
}

func add(t *testing.T, j journal.Journal, events ...journal.Event) {
	t.Helper()
	if err := j.Append(t.Context(), events); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, j journal.Journal, q journal.Query) (all []journal.Event) {
	t.Helper()
	for e, err := range j.Read(t.Context(), q) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func ids(events []journal.Event) string {
	var all []string
	for _, e := range events {
		all = append(all, e.ID)
	}
	return strings.Join(all, " ")
}

// texts are those that a journal may not change.
var texts = []string{
	"plain", "it's", `"quoted"`, `back\slash`, "a$1?2:name%s", "é and é", "🔒", "<&>", "';--", "{x}", strings.Repeat("ü", journal.MaxTextBytes/2),
}

func comeBack(t *testing.T, j journal.Journal) {
	now := time.Now()
	var sent []journal.Event
	for i, s := range texts {
		sent = append(sent, journal.Event{
			ID: fmt.Sprint("id", i), Kind: journal.Refused, Name: s, Token: fence.MaxToken - fence.Token(i), Holder: s, At: now.Add(time.Duration(i) * time.Second),
			Until: now.Add(time.Hour), Cause: s, Resource: strings.Repeat(s, 2), By: s, Detail: s, Lost: i,
		})
	}
	sent = append(sent, journal.Event{ID: "bare", Kind: journal.Gap, At: now})
	add(t, j, sent[:4]...)
	add(t, j, sent[4:]...)
	got := read(t, j, journal.Query{})
	slices.Reverse(got)
	if len(got) != len(sent) {
		t.Fatalf("%d events, want %d", len(got), len(sent))
	}
	for i, want := range sent {
		g := got[i]
		if !near(g.At, want.At) || want.Until.IsZero() != g.Until.IsZero() || !want.Until.IsZero() && !near(g.Until, want.Until) {
			t.Errorf("%s: at %s until %s", want.ID, g.At, g.Until)
		}
		g.At, g.Until, want.At, want.Until = time.Time{}, time.Time{}, time.Time{}, time.Time{}
		if g != want {
			t.Errorf("got  %+v\nwant %+v", g, want)
		}
	}
}

func near(a, b time.Time) bool { return a.Sub(b).Abs() < time.Minute }

func byName(t *testing.T, j journal.Journal) {
	add(t, j, event(journal.Granted, "job", 1), event(journal.Granted, "Job", 2), event(journal.Granted, "job ö", 3),
		event(journal.Recovered, "", 4), event(journal.Granted, "jo_", 5), event(journal.Released, "job", 6))
	if got := ids(read(t, j, journal.Query{Name: "job"})); got != "released-job-6 recovered--4 granted-job-1" {
		t.Error(got)
	}
	if got := read(t, j, journal.Query{}); len(got) != 6 {
		t.Error(ids(got))
	}
	if got := ids(read(t, j, journal.Query{Name: "jo_"})); got != "granted-jo_-5 recovered--4" {
		t.Error(got)
	}
}

func byTime(t *testing.T, j journal.Journal) {
	for i := range 5 {
		e := event(journal.Granted, "job", i+1)
		e.At = e.At.Add(time.Duration(i-5) * time.Hour)
		add(t, j, e)
	}
	all := read(t, j, journal.Query{})
	got := read(t, j, journal.Query{Since: all[3].At, Until: all[1].At})
	if ids(got) != "granted-job-3 granted-job-2" {
		t.Error(ids(got))
	}
	if got := read(t, j, journal.Query{Name: "job", Since: all[0].At.Add(time.Millisecond)}); len(got) != 0 {
		t.Error(ids(got))
	}
}

func counted(t *testing.T, j journal.Journal) {
	one, two := event(journal.Granted, "job", 1), event(journal.Released, "job", 1)
	add(t, j, one, two)
	add(t, j, one, two)
	if got := ids(read(t, j, journal.Query{Name: "job"})); got != "released-job-1 granted-job-1" {
		t.Error(got)
	}
}

func refused(t *testing.T, j journal.Journal) {
	for i, change := range []func(*journal.Event){
		func(e *journal.Event) { e.Kind = "" },
		func(e *journal.Event) { e.At = time.Time{} },
		func(e *journal.Event) { e.Token = -1 },
		func(e *journal.Event) { e.Name = "a\x00" },
		func(e *journal.Event) { e.Detail = "a\nb" },
		func(e *journal.Event) { e.Holder = "\xff" },
		func(e *journal.Event) { e.Resource = strings.Repeat("r", journal.MaxDetailBytes+1) },
	} {
		bad := event(journal.Ended, "job", 2)
		change(&bad)
		err := j.Append(t.Context(), []journal.Event{event(journal.Granted, "job", 1), bad})
		if !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if got := read(t, j, journal.Query{}); len(got) != 0 {
		t.Errorf("kept %s", ids(got))
	}
	add(t, j) // nothing at all
}

func pages(t *testing.T, j journal.Journal) {
	const n = 1300
	var batch []journal.Event
	for i := range n {
		batch = append(batch, event(journal.Granted, "job", i+1))
		if len(batch) == 500 || i == n-1 {
			add(t, j, batch...)
			batch = nil
		}
	}
	got := read(t, j, journal.Query{Name: "job"})
	if len(got) != n {
		t.Fatalf("%d events", len(got))
	}
	for i, e := range got {
		if e.Token != fence.Token(n-i) {
			t.Fatalf("at %d is %d", i, e.Token)
		}
	}
	seen := 0
	for _, err := range j.Read(t.Context(), journal.Query{Name: "job"}) {
		if err != nil {
			t.Fatal(err)
		}
		if seen++; seen == 700 {
			break
		}
	}
}

func pruneNumber(t *testing.T, j journal.Journal) {
	for i := range 40 {
		add(t, j, event(journal.Granted, "job", i+1))
	}
	for range 4 { // a journal may leave some for another time
		if _, err := j.Prune(t.Context(), journal.Bounds{Age: math.MaxInt64, Events: 10}); err != nil {
			t.Fatal(err)
		}
	}
	got := read(t, j, journal.Query{})
	if len(got) < 10 || len(got) > 40 || got[0].Token != 40 || got[9].Token != 31 {
		t.Errorf("left: %s", ids(got))
	}
	add(t, j, event(journal.Granted, "job", 41))
	if got := read(t, j, journal.Query{}); got[0].Token != 41 || got[1].Token != 40 {
		t.Errorf("then: %s", ids(got))
	}
}

func pruneBatches(t *testing.T, j journal.Journal) {
	for b := range 20 {
		var batch []journal.Event
		for i := range 10 {
			batch = append(batch, event(journal.Granted, "job", 10*b+i+1))
		}
		add(t, j, batch...)
	}
	for range 4 { // a journal may leave some for another time
		if _, err := j.Prune(t.Context(), journal.Bounds{Age: time.Hour, Events: 35}); err != nil {
			t.Fatal(err)
		}
	}
	got := read(t, j, journal.Query{})
	if len(got) < 35 {
		t.Errorf("%d events are left", len(got))
	}
	for i, e := range got {
		if e.Token != fence.Token(200-i) {
			t.Fatalf("at %d is %d", i, e.Token)
		}
	}
}

func pruneAge(t *testing.T, j journal.Journal) {
	add(t, j, event(journal.Granted, "job", 1))
	if _, err := j.Prune(t.Context(), journal.Bounds{Age: time.Hour, Events: 10}); err != nil {
		t.Fatal(err)
	}
	if got := read(t, j, journal.Query{}); len(got) != 1 {
		t.Fatalf("a young event went")
	}
	old := time.Now().Add(-time.Minute)
	for deadline := time.Now().Add(10 * time.Second); ; {
		for range 2 {
			if _, err := j.Prune(t.Context(), journal.Bounds{Age: 0, Events: 10}); err != nil {
				t.Fatal(err)
			}
		}
		if len(read(t, j, journal.Query{Since: old})) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("an old event stays")
		}
	}
}

func ages(t *testing.T, j journal.Journal) {
	e := event(journal.Granted, "job", 1)
	e.At, e.Until = e.At.Add(-10*time.Minute), e.At.Add(20*time.Minute)
	add(t, j, e)
	got := read(t, j, journal.Query{})
	if len(got) != 1 {
		t.Fatalf("%d events", len(got))
	}
	if window := got[0].Until.Sub(got[0].At); (window-30*time.Minute).Abs() > 2*time.Millisecond || !near(got[0].At, e.At) {
		t.Errorf("at %s for %s", got[0].At, window)
	}
	if j.Clock() == "" {
		t.Error("it does not say whose clock that is")
	}
}

func together(t *testing.T, j journal.Journal) {
	const writers, batches = 6, 5
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			name := fmt.Sprint("job", w)
			for b := range batches {
				if err := j.Append(t.Context(), []journal.Event{event(journal.Granted, name, 2*b+1), event(journal.Released, name, 2*b+2)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for w := range writers {
		got := read(t, j, journal.Query{Name: fmt.Sprint("job", w)})
		if len(got) != 2*batches {
			t.Errorf("job%d has %d events", w, len(got))
		}
		for i, e := range got {
			if e.Token != fence.Token(2*batches-i) {
				t.Errorf("job%d: %s", w, ids(got))
				break
			}
		}
	}
}

func ended(t *testing.T, j journal.Journal) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := j.Append(ctx, []journal.Event{event(journal.Granted, "job", 1)}); err == nil {
		t.Error("appended")
	}
	add(t, j, event(journal.Granted, "job", 2))
	for _, err := range j.Read(ctx, journal.Query{}) {
		if err == nil {
			t.Error("read")
		}
		break
	}
}

func empty(t *testing.T, j journal.Journal) {
	if got := read(t, j, journal.Query{Name: "job"}); len(got) != 0 {
		t.Errorf("it has %s", ids(got))
	}
	if n, err := j.Prune(t.Context(), journal.DefaultBounds); n != 0 || err != nil {
		t.Errorf("pruned %d, %v", n, err)
	}
}
