package timeline

import (
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
	"github.com/ringfence-go/ringfence/journal/filejournal"
	"github.com/ringfence-go/ringfence/journal/history"
)

var update = flag.Bool("update", false, "write the golden files")

var title = Title{Journal: "journal", Clock: "the database"}

// night is a night in which most things happen that can be drawn.
func night(t *testing.T) history.History {
	t.Helper()
	var events []journal.Event
	for e, err := range filejournal.Open(filepath.Join("testdata", "night.journal"), nil).Read(t.Context(), journal.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return history.Of("nightly-rollup", events)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s has changed; go test -update writes it anew:\n%s", path, got)
	}
}

func draw(t *testing.T, p Page, h history.History) string {
	t.Helper()
	var b strings.Builder
	if err := p.Write(&b, h, title); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestDrawings(t *testing.T) {
	t.Parallel()
	h := night(t)
	golden(t, "night.txt", draw(t, Page{Width: 100}, h))
	page, err := os.ReadFile("../../../../docs/history.md")
	if err != nil || !strings.Contains(string(page), strings.TrimSpace(draw(t, Page{Width: 100}, h))) {
		t.Errorf("docs/history.md does not show the drawing (error %v)", err)
	}
	golden(t, "night_narrow.txt", draw(t, Page{Width: 60}, h))
	golden(t, "night_colour.txt", draw(t, Page{Width: 120, Colour: true}, h))
	var picture strings.Builder
	if err := SVG(&picture, h, title); err != nil {
		t.Fatal(err)
	}
	golden(t, "night.svg", picture.String())
	var lines strings.Builder
	for _, e := range h.Events {
		fmt.Fprintln(&lines, Line(e))
	}
	golden(t, "night_events.txt", lines.String())
}

func TestShortHoldersLeaveTheirHeadingWhole(t *testing.T) {
	t.Parallel()
	e := journal.Event{Kind: journal.Granted, Name: "job", Token: 7, Holder: "a", At: time.Now()}
	if text := draw(t, Page{Width: 100}, history.Of("job", []journal.Event{e})); !strings.Contains(text, "HOLDER") {
		t.Errorf("the heading is cut:\n%s", text)
	}
}

func TestDrawingOfNothing(t *testing.T) {
	t.Parallel()
	h := history.Of("nobody", nil)
	if got := draw(t, Page{Width: 100}, h); got != "\"nobody\" at journal: no term is on record\n" {
		t.Error(got)
	}
	var b strings.Builder
	if err := SVG(&b, h, title); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, b.String())
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		switch _, err := d.Token(); err {
		case nil:
		case io.EOF:
			return
		default:
			t.Fatalf("%v in %s", err, text)
		}
	}
}

// TestOddNamesAreTextInAPicture: a name and a holder are never read as a part of it.
func TestOddNamesAreTextInAPicture(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, odd := range []string{`<script>alert(1)</script>`, `"><b`, `%d%!s(x)`, "ü 🔒 &amp;", `]]>`} {
		h := history.Of(odd, []journal.Event{
			{Kind: journal.Granted, Name: odd, Token: 5, Holder: odd, At: now, Detail: odd},
			{Kind: journal.Refused, Name: odd, Token: 5, At: now, Cause: odd, Resource: odd},
			{Kind: journal.Forced, Name: odd, Token: 5, At: now, By: odd},
		})
		var b strings.Builder
		if err := SVG(&b, h, Title{Journal: odd, Clock: odd}); err != nil {
			t.Fatal(err)
		}
		wellFormed(t, b.String())
		if strings.Contains(b.String(), "<script") || strings.Contains(b.String(), "%!") && odd != `%d%!s(x)` {
			t.Errorf("%s in %s", odd, b.String())
		}
	}
}

// TestTenThousandTerms: a long history is drawn soon, and no line is longer than the
// page.
func TestTenThousandTerms(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var events []journal.Event
	for i := range 10_000 {
		at := begun.Add(time.Duration(i) * time.Minute)
		token := fence.TickOf(at).First()
		events = append(events,
			journal.Event{Kind: journal.Granted, Name: "job", Token: token, Holder: "a-host-with-a-long-name.example.org:12345", At: at, Until: at.Add(time.Minute)},
			journal.Event{Kind: journal.Ended, Name: "job", Token: token, At: at.Add(20 * time.Second)},
			journal.Event{Kind: journal.Released, Name: "job", Token: token, At: at.Add(21 * time.Second)})
	}
	got := draw(t, Page{Width: 100}, history.Of("job", events))
	if n := strings.Count(got, "\n"); n < 10_000 || n > 10_010 {
		t.Errorf("%d lines", n)
	}
	for line := range strings.Lines(got) {
		if n := utf8.RuneCountInString(line); n > 101 {
			t.Fatalf("%d characters: %s", n, line)
		}
	}
}

// TestClockThatJumped: events of which the clock was set back in between are drawn in
// the order of their times, and nothing lies outside of the drawing.
func TestClockThatJumped(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 2, 0, 0, 0, time.UTC)
	h := history.Of("job", []journal.Event{
		{Kind: journal.Granted, Name: "job", Token: 5, At: now, Until: now.Add(time.Minute)},
		{Kind: journal.Ended, Name: "job", Token: 5, At: now.Add(-time.Hour)},
		{Kind: journal.Released, Name: "job", Token: 5, At: now.Add(-time.Hour)},
		{Kind: journal.Granted, Name: "job", Token: 6, At: now.Add(-30 * time.Minute), Until: now.Add(-29 * time.Minute)},
		{Kind: journal.Suspect, Name: "job", Token: 6, At: now.Add(-2 * time.Hour)},
	})
	got := draw(t, Page{Width: 100}, h)
	for line := range strings.Lines(got) {
		if n := utf8.RuneCountInString(line); n > 200 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
	var b strings.Builder
	if err := SVG(&b, h, title); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, b.String())
	if strings.Contains(b.String(), `="-`) {
		t.Error("something is drawn to the left of the picture")
	}
}
