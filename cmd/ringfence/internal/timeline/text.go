package timeline

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal/history"
)

// Page is how a timeline is written for people.
type Page struct {
	Width  int  // of a line, in characters
	Colour bool // the terminal shows colours
}

// Title is what stands above a timeline.
type Title struct {
	Journal string // where the record is kept
	Clock   string
	More    bool // there are earlier terms
}

var marks = map[phase]rune{held: '█', outside: '░', unknown: '?'}

const (
	refused = '✗'
	broken  = '!'
)

const legend = "█ held  ░ lease over, work went on  ? no word of its end  ! broken  ✗ write refused"

// Write draws one line a term, the oldest first, and under them what is not as it
// should be.
func (p Page) Write(w io.Writer, h history.History, title Title) error {
	var b strings.Builder
	s := scaleOf(h)
	fmt.Fprintf(&b, "%s at %s: %s\n", fence.Quote(h.Name), title.Journal, summary(h, title))
	if len(h.Terms) > 0 {
		fmt.Fprintf(&b, "%s\n", period(s, title))
		p.draw(&b, h, s)
	}
	if lines := notes(h); len(lines) > 0 {
		b.WriteString("\n")
		for _, line := range lines {
			fmt.Fprintf(&b, "%s %s\n", p.paint(red, "*"), line)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func summary(h history.History, title Title) string {
	n := len(h.Terms)
	if n == 0 {
		return "no term is on record"
	}
	said := fmt.Sprintf("%d terms", n)
	if n == 1 {
		said = "one term"
	}
	open := 0
	for i := range h.Terms {
		if h.Terms[i].Suspect.Open() {
			open++
		}
	}
	if open > 0 {
		said += fmt.Sprintf(", %d suspect", open)
	}
	if title.More {
		said += "; --limit or --since shows earlier ones"
	}
	return said
}

func period(s scale, title Title) string {
	const layout = "2006-01-02 15:04:05"
	return fmt.Sprintf("From %s to %s UTC, on the clock of %s.", s.from.UTC().Format(layout), s.to.UTC().Format(layout), title.Clock)
}

// columns are the widths of what stands beside the bars.
type columns struct{ token, holder, bar int }

const longestHolder, shortestBar, outcomeWidth = 18, 20, 32

func (p Page) columns(h history.History) columns {
	c := columns{token: len("TOKEN"), holder: len("HOLDER")}
	for _, t := range h.Terms {
		c.token = max(c.token, len(t.Token.String()))
		c.holder = max(c.holder, min(utf8.RuneCountInString(t.Holder), longestHolder))
	}
	c.bar = p.Width - c.token - c.holder - outcomeWidth - 6
	if c.bar < shortestBar { // a narrow terminal: the holder goes first
		c.bar, c.holder = max(c.bar+c.holder+2, shortestBar), 0
	}
	return c
}

func (p Page) draw(b *strings.Builder, h history.History, s scale) {
	c := p.columns(h)
	fmt.Fprintf(b, "\n%s\n", strings.TrimRight(p.row(c, "TOKEN", "HOLDER", axis(s, c.bar), ""), " "))
	for i := range h.Terms {
		t := &h.Terms[i]
		said := outcome(t)
		if t.Suspect.Open() {
			said = p.paint(red, said)
		}
		fmt.Fprintln(b, p.row(c, t.Token.String(), t.Holder, p.bar(t, s, c.bar), said))
	}
	fmt.Fprintf(b, "\n%s\n", legend)
}

func (p Page) row(c columns, token, holder, bar, outcome string) string {
	if c.holder == 0 {
		return fmt.Sprintf("%-*s  %s  %s", c.token, token, bar, outcome)
	}
	return fmt.Sprintf("%-*s  %-*s  %s  %s", c.token, token, c.holder, shorten(holder, c.holder), bar, outcome)
}

// shorten keeps both ends of a label: the host and the process differ there.
func shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	head := most / 2
	return string(r[:head]) + "…" + string(r[len(r)-(most-head-1):])
}

// bar is one term in width cells. The last that is drawn into a cell stays: what is
// refused is never hidden.
func (p Page) bar(t *history.Term, s scale, width int) string {
	cells := make([]rune, width)
	for i := range cells {
		cells[i] = ' '
	}
	cell := func(at time.Time) int { return min(int(s.place(at)*float64(width)), width-1) }
	for _, part := range stretches(t, s.to) {
		for i := cell(part.from); i <= cell(part.to); i++ {
			if part.phase != held && i == cell(part.from) && cells[i] != ' ' && cell(part.to) > i {
				continue // the lease reached into this cell
			}
			cells[i] = marks[part.phase]
		}
	}
	if !t.Broken.IsZero() {
		cells[cell(t.Broken)] = broken
	}
	for _, e := range t.Refused {
		cells[cell(e.At)] = refused
	}
	return p.colours(cells)
}

// axis has the times of both ends, and of the middle where there is room.
func axis(s scale, width int) string {
	layout := "15:04:05"
	if s.to.Sub(s.from) > 18*time.Hour {
		layout = "01-02 15:04"
	}
	row := []rune(strings.Repeat("─", width))
	put := func(at time.Time, from int) {
		label := []rune(at.UTC().Format(layout))
		if from >= 0 && from+len(label) <= width {
			copy(row[from:], label)
		}
	}
	put(s.from, 0)
	put(s.to, width-len(layout))
	if width >= 4*len(layout) {
		put(s.from.Add(s.to.Sub(s.from)/2), width/2-len(layout)/2)
	}
	return string(row)
}

const red, green, yellow = "31", "32", "33"

func (p Page) paint(colour, text string) string {
	if !p.Colour {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

var colourOf = map[rune]string{'█': green, '░': yellow, '?': yellow, broken: red, refused: red}

// colours paints runs of cells of one kind.
func (p Page) colours(cells []rune) string {
	var b strings.Builder
	for i := 0; i < len(cells); {
		end := i
		for end < len(cells) && cells[end] == cells[i] {
			end++
		}
		if colour, ok := colourOf[cells[i]]; ok {
			b.WriteString(p.paint(colour, string(cells[i:end])))
		} else {
			b.WriteString(string(cells[i:end]))
		}
		i = end
	}
	return b.String()
}
