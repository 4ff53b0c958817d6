package bundle_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
	"github.com/ringfence-go/ringfence/journal/bundle"
)

// TestTimesAreTheJournals: what a bundle tells is counted from when the journal says
// that it was written, whatever the clock of the writer said.
func TestTimesAreTheJournals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		text, err := bundle.Pack([]journal.Event{
			{ID: "a", Kind: journal.Granted, Name: `"job" <ö>`, Token: fence.MaxToken, Holder: "h", At: now.Add(-time.Minute), Until: now.Add(time.Hour)},
			{ID: "b", Kind: journal.Gap, At: now.Add(time.Minute), Until: now.Add(2 * time.Minute), Lost: 3}, // by a clock that was set back
		})
		if err != nil || strings.Contains(string(text), now.Format("2006")) {
			t.Fatalf("%s, %v", text, err)
		}
		written := time.Date(2031, 2, 3, 4, 5, 6, 0, time.UTC)
		got, err := bundle.Unpack(text, written)
		if err != nil || len(got) != 2 {
			t.Fatal(got, err)
		}
		want := journal.Event{ID: "a", Kind: journal.Granted, Name: `"job" <ö>`, Token: fence.MaxToken, Holder: "h",
			At: written.Add(-time.Minute), Until: written.Add(time.Hour)}
		if got[0] != want {
			t.Errorf("got  %+v\nwant %+v", got[0], want)
		}
		if g := got[1]; g.At != written || g.Until != written.Add(time.Minute) || g.Lost != 3 {
			t.Errorf("of the future: %+v", g)
		}
	})
}

func TestWhatIsNoBundleIsCorrupt(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{}", "[", `[{"kind":""}]`, `[{"kind":"granted","token":"-1"}]`, `[{"kind":"granted","name":"\u0000"}]`, "[1]"} {
		if events, err := bundle.Unpack([]byte(text), time.Now()); !errors.Is(err, journal.ErrCorrupt) {
			t.Errorf("%s: %v, %v", text, events, err)
		}
	}
	if _, err := bundle.Pack([]journal.Event{{Kind: journal.Ended, Name: "job", At: time.Now(), Detail: "a\nb"}}); !errors.Is(err, fence.ErrInvalid) {
		t.Error(err)
	}
}
