package history

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
	"github.com/ringfence-go/ringfence/journal/filejournal"
)

var update = flag.Bool("update", false, "write the golden files")

func events(t *testing.T, name string) (all []journal.Event) {
	t.Helper()
	for e, err := range filejournal.Open(filepath.Join("testdata", name+".journal"), nil).Read(t.Context(), journal.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// TestExplanations: each golden file is what is said of one moment after another.
func TestExplanations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		of  string
		ats []string
	}{
		"night":      {"nightly-rollup", []string{"01:00:00", "02:01:00", "02:10:50", "02:18:00", "02:23:30", "02:26:30", "04:00:00"}},
		"store_down": {"leader", []string{"02:01:00", "02:03:23", "02:11:00", "02:13:25", "02:16:40", "02:18:20"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			h := Of(c.of, events(t, name))
			for _, at := range c.ats {
				moment, err := time.Parse(time.DateTime, "2026-11-29 "+at)
				if err != nil {
					t.Fatal(err)
				}
				a := h.Explain(moment)
				fmt.Fprintf(&b, "%s\n", strings.Join(a.Says, "\n"))
				for _, change := range a.Change {
					fmt.Fprintf(&b, "- %s\n", change)
				}
				b.WriteString("\n")
			}
			path := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if b.String() != string(want) {
				t.Errorf("%s has changed; go test -update writes it anew:\n%s", path, b.String())
			}
		})
	}
}

func tokens(terms []Term) string {
	var all []string
	for _, t := range terms {
		all = append(all, fmt.Sprint(int64(t.Token-375865000000000)/4096000))
	}
	return strings.Join(all, " ")
}

func TestSuspectsAreThoseWithoutAnEndInTime(t *testing.T) {
	t.Parallel()
	all := slices.Concat(events(t, "night"), events(t, "store_down"))
	if got := tokens(Suspects(all, false)); got != "1 600 300 800 900" {
		t.Errorf("open: %s", got)
	}
	if got := tokens(Suspects(all, true)); got != "1 600 300 800 1100 900 1500" {
		t.Errorf("all: %s", got)
	}
}

// TestOrderOfReadingChangesNothing: a journal may hand out the events of one moment in
// any order, and those of several writers are mixed.
func TestOrderOfReadingChangesNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, name string }{{"night", "nightly-rollup"}, {"store_down", "leader"}} {
		all := events(t, c.file)
		want := Of(c.name, all)
		for range 20 {
			rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			if got := Of(c.name, all); !reflect.DeepEqual(got.Terms, want.Terms) {
				t.Fatalf("got  %+v\nwant %+v", got.Terms, want.Terms)
			}
		}
	}
}

// TestLateDatesKeepTheOrder: the grant was written first and took long, so that it is
// dated after the end, which the same recorder was told of later.
func TestLateDatesKeepTheOrder(t *testing.T) {
	t.Parallel()
	granted, ended, released := ev(journal.Granted, 7, 1.5), ev(journal.Ended, 7, 1.1), ev(journal.Released, 7, 1.2)
	granted.ID, ended.ID, released.ID = "a-z", "a-10", "a-11"
	other := ev(journal.Granted, 8, 1.3)
	other.ID = "b-1"
	h := Of("job", []journal.Event{other, released, ended, granted})
	if first := h.Terms[0]; !first.Granted.Equal(at(1.1)) || !first.Done.Equal(at(1.1)) || !first.Free.Equal(at(1.2)) {
		t.Errorf("%+v", first)
	}
	var kinds []journal.Kind
	for _, e := range h.Events {
		kinds = append(kinds, e.Kind)
	}
	if want := []journal.Kind{journal.Granted, journal.Ended, journal.Released, journal.Granted}; !slices.Equal(kinds, want) {
		t.Errorf("told %q", kinds)
	}
}

var begin = time.Date(2026, 11, 29, 2, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time { return begin.Add(time.Duration(seconds * float64(time.Second))) }

func ev(kind journal.Kind, token fence.Token, seconds float64) journal.Event {
	e := journal.Event{Kind: kind, Name: "job", Token: token, At: at(seconds)}
	if kind == journal.Granted {
		e.Until = at(seconds + 10)
	}
	return e
}

// TestWhatOverlaps: two terms overlap when the older one's work went on after the
// newer one was granted, and only then.
func TestWhatOverlaps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		events []journal.Event
		want   string
	}{
		"one after the other": {[]journal.Event{ev("granted", 1, 0), ev("ended", 1, 4), ev("released", 1, 5), ev("granted", 2, 6)}, ""},
		"released, and noted late": {
			// The store had the release first; what two programs note of it may cross.
			[]journal.Event{ev("granted", 1, 0), ev("released", 1, 5.01), ev("granted", 2, 5)}, ""},
		"went on":        {[]journal.Event{ev("granted", 1, 0), ev("granted", 2, 11), ev("ended", 1, 13), ev("ended", 2, 20)}, "1+2 11-13"},
		"outlived it":    {[]journal.Event{ev("granted", 1, 0), ev("granted", 2, 11), ev("ended", 2, 12), ev("released", 2, 12), ev("ended", 1, 30)}, "1+2 11-12"},
		"over in time":   {[]journal.Event{ev("granted", 1, 0), ev("ended", 1, 9), ev("granted", 2, 11), ev("ended", 2, 12)}, ""},
		"no word":        {[]journal.Event{ev("granted", 1, 0), ev("granted", 2, 11), ev("ended", 2, 12), ev("granted", 3, 20)}, "1+2 perhaps"},
		"three at once":  {[]journal.Event{ev("granted", 1, 0), ev("granted", 2, 11), ev("granted", 3, 22), ev("ended", 1, 30), ev("ended", 2, 25), ev("ended", 3, 40)}, "1+2 11-25, 1+3 22-30, 2+3 22-25"},
		"alone, no word": {[]journal.Event{ev("granted", 1, 0)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, o := range Of("job", c.events).Overlaps() {
				said := fmt.Sprintf("%s+%s %v-%v", o.Older.Token, o.Newer.Token, o.From.Sub(begin).Seconds(), o.To.Sub(begin).Seconds())
				if o.Perhaps {
					said = fmt.Sprintf("%s+%s perhaps", o.Older.Token, o.Newer.Token)
				}
				got = append(got, said)
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("got %q, want %q", strings.Join(got, ", "), c.want)
			}
		})
	}
}

// TestWhatIsFoundToBeSuspect: nobody wrote it down, but the record stops without an
// end of the work, and the name went on.
func TestWhatIsFoundToBeSuspect(t *testing.T) {
	t.Parallel()
	forced := ev("forced", 1, 5)
	forced.By = "ops"
	for name, c := range map[string]struct {
		events []journal.Event
		want   bool
	}{
		"held still":                   {[]journal.Event{ev("granted", 1, 0)}, false},
		"granted again":                {[]journal.Event{ev("granted", 1, 0), ev("granted", 2, 11)}, true},
		"broken":                       {[]journal.Event{ev("granted", 1, 0), forced}, true},
		"lost":                         {[]journal.Event{ev("granted", 1, 0), ev("expired", 1, 10)}, true},
		"ended, and the holder killed": {[]journal.Event{ev("granted", 1, 0), ev("ended", 1, 5), ev("granted", 2, 11)}, false},
		"released":                     {[]journal.Event{ev("granted", 1, 0), ev("released", 1, 5), ev("granted", 2, 11)}, false},
		"release untold":               {[]journal.Event{ev("granted", 1, 0), ev("release_untold", 1, 5), ev("granted", 2, 11)}, false},
		"no beginning on record":       {[]journal.Event{ev("refused", 1, 0), ev("granted", 2, 11)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := Suspects(c.events, true)
			if got := len(found) > 0; got != c.want {
				t.Errorf("suspects: %+v", found)
			}
			if c.want && (!found[0].Suspect.Found || found[0].Token != 1 || cmp.Or(found[0].Suspect.Why, "") == "") {
				t.Errorf("%+v", found[0].Suspect)
			}
		})
	}
}

func TestPartOfAHistory(t *testing.T) {
	t.Parallel()
	h := Of("nightly-rollup", events(t, "night"))
	for name, c := range map[string]struct {
		since, until time.Time
		limit        int
		want         string
		more         bool
	}{
		"all":              {time.Time{}, time.Time{}, 0, "1 300 640 900 1210 1500", false},
		"the last two":     {time.Time{}, time.Time{}, 2, "1210 1500", true},
		"since":            {at(700), time.Time{}, 0, "640 900 1210 1500", true},
		"until":            {time.Time{}, at(640), 0, "1 300", false},
		"both, and a word": {at(1205), at(1300), 0, "900 1210", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			part, more := h.Part(c.since, c.until, c.limit)
			if got := tokens(part.Terms); got != c.want || more != c.more {
				t.Errorf("got %q, more %t", got, more)
			}
			for _, e := range part.Events {
				if termed(e) && !slices.ContainsFunc(part.Terms, func(t Term) bool { return t.Token == e.Token }) {
					t.Errorf("an event of another term: %+v", e)
				}
			}
		})
	}
}
