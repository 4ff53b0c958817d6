package timeline

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal"
	"github.com/ringfence-go/ringfence/journal/history"
)

// outcome is how a term ended, in a few words.
func outcome(t *history.Term) string {
	said := ""
	switch {
	case !t.Free.IsZero():
		said = "released"
	case !t.Broken.IsZero():
		said = "broken"
	case t.Untold:
		said = "release untold"
	case t.Cause != "":
		said = t.Cause
	case !t.Next.IsZero():
		said = "no end recorded"
	default:
		return "no end yet"
	}
	if end := t.WorkEnd(); !end.IsZero() && !t.Granted.IsZero() {
		said += " after " + Span(max(0, end.Sub(t.Granted))) // two rows are dated to within what it took to write them
	}
	switch {
	case t.Suspect.Open():
		said += ", SUSPECT"
	case t.Suspect != nil:
		said += ", resolved"
	}
	return said
}

// notes are the lines about what is not as it should be.
func notes(h history.History) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, o := range h.Overlaps() {
		if o.Perhaps {
			add("token %s and token %s may have overlapped from %s on: the older one never said when its work was over", o.Older.Token, o.Newer.Token, Stamp(o.From))
			continue
		}
		add("token %s and token %s overlapped for %s, from %s on", o.Older.Token, o.Newer.Token, Span(o.To.Sub(o.From)), Stamp(o.From))
	}
	for i := range h.Terms {
		if t := &h.Terms[i]; len(t.Refused) > 0 {
			add("token %s was refused %s: %s", t.Token, times(len(t.Refused)), refusals(t.Refused))
		}
	}
	for _, e := range h.Other {
		switch e.Kind {
		case journal.Gap:
			add("%d events are missing, from %s to %s", e.Lost, Stamp(e.At), Stamp(e.Until))
		case journal.Unfenced:
			add("a run began without a lease at %s, since the store was down", Stamp(e.At))
		case journal.Recovered:
			add("the store's floor was raised to %s by %s at %s", e.Token, fence.Quote(e.By), Stamp(e.At))
		}
	}
	return lines
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// refusals names the places and causes, each once.
func refusals(all []journal.Event) string {
	var parts []string
	seen := map[string]bool{}
	for _, e := range all {
		part := e.Cause
		if e.Resource != "" {
			part += " at " + fence.Quote(e.Resource)
		}
		if !seen[part] {
			seen[part] = true
			parts = append(parts, part)
		}
	}
	const most = 3
	if len(parts) > most {
		parts = append(parts[:most], fmt.Sprintf("and %d more", len(parts)-most))
	}
	return strings.Join(parts, ", ")
}

// Line is one event for people.
func Line(e journal.Event) string {
	parts := []string{Stamp(e.At), fmt.Sprintf("%-14s", e.Kind)}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if e.Token != 0 {
		add("token %s", e.Token)
	}
	for _, f := range []struct{ what, text string }{{"of", e.Holder}, {"by", e.By}, {"at", e.Resource}} {
		if f.text != "" {
			add("%s %s", f.what, fence.Quote(f.text))
		}
	}
	if e.Cause != "" {
		add("(%s)", e.Cause)
	}
	if !e.Until.IsZero() {
		add("until %s", Stamp(e.Until))
	}
	if e.Lost > 0 {
		add("%d events", e.Lost)
	}
	if e.Detail != "" {
		add("- %s", e.Detail)
	}
	return strings.Join(parts, " ")
}

// Stamp renders a time to the millisecond, in UTC as all times here.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000") }

// Span renders a duration: to the second, or finer when it is under ten of them.
func Span(d time.Duration) string {
	if d < 10*time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// Paragraph writes a text in lines that fit the page, the first after lead and the
// others below it.
func (p Page) Paragraph(w io.Writer, lead, text string) {
	indent := strings.Repeat(" ", utf8.RuneCountInString(lead))
	line, empty := lead, true
	for word := range strings.FieldsSeq(text) {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > min(p.Width, widestText) {
			fmt.Fprintln(w, line)
			line, empty = indent, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	fmt.Fprintln(w, line)
}

// widestText is how long a line of text stays readable.
const widestText = 100
