package doctor

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ringfence-go/ringfence/driver"
)

// Page is how a report is written for people.
type Page struct {
	Width  int  // of a line, in characters
	Colour bool // the terminal shows colours
}

// narrowest and widest bound what a table is fitted into: below, its columns
// stand under each other, and longer lines are hard to read.
const narrowest, widest = 76, 130

// Write writes the report as two tables: what was measured, and what was looked
// at, the worst first.
func (p Page) Write(w io.Writer, r Report) error {
	verdict := map[driver.Grade]string{driver.Fit: "fit to host leases", driver.Warning: "fit to host leases, with warnings", driver.Unfit: "unfit to host leases"}[r.Grade]
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.Store, p.paint(r.Grade, verdict))
	examined := slices.SortedStableFunc(slices.Values(r.Findings[r.measured:]), func(a, b driver.Finding) int { return cmp.Compare(rank(b.Grade), rank(a.Grade)) })
	c := p.columns(r.Findings)
	p.table(&b, "What a lease needs, tried on a throw-away name", r.Findings[:r.measured], c)
	p.table(&b, "What can take it away", examined, c)
	if r.spared {
		b.WriteString("\nNo lease was tried: mend what is unfit first, and run this again.\n")
	}
	if len(r.Left) > 0 {
		fmt.Fprintf(&b, "\nHeld until its lease ends, since the store did not answer: %s\n", strings.Join(r.Left, ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (p Page) table(b *strings.Builder, title string, found []driver.Finding, c columns) {
	if len(found) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n\n", title)
	for _, f := range found {
		p.row(b, f, c)
	}
}

// columns are the widths of the subject, of what was found and of what it means.
type columns struct{ subject, found, means int }

// mark is the width of the grade's column.
const mark = len("warning")

const gap = 2

func (p Page) columns(found []driver.Finding) columns {
	width := min(p.Width, widest)
	if width < narrowest {
		rest := max(width-mark-gap, 20)
		return columns{rest, rest, rest}
	}
	c := columns{}
	for _, f := range found {
		c.subject = max(c.subject, min(utf8.RuneCountInString(f.Subject), 22))
	}
	rest := width - mark - c.subject - 3*gap
	c.found = rest * 2 / 5
	c.means = rest - c.found
	return c
}

func (p Page) row(b *strings.Builder, f driver.Finding, c columns) {
	means := wrap(f.Means, c.means)
	if f.Do != "" {
		means = append(means, wrap("do: "+f.Do, c.means)...)
	}
	cells := [][]string{wrap(f.Subject, c.subject), wrap(f.Found, c.found), means}
	if c.subject == c.found { // one below the other
		cells = [][]string{slices.Concat(cells...)}
	}
	widths := []int{c.subject, c.found, c.means}
	for i := range slices.Max([]int{len(cells[0]), len(cells[len(cells)-1]), len(cells[len(cells)/2])}) {
		line := strings.Repeat(" ", mark)
		if i == 0 {
			line = p.paint(f.Grade, pad(string(f.Grade), mark))
		}
		for n, cell := range cells {
			text := ""
			if i < len(cell) {
				text = cell[i]
			}
			line += strings.Repeat(" ", gap) + pad(text, widths[n])
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// paint colours a text by a grade, where the terminal shows colours.
func (p Page) paint(g driver.Grade, text string) string {
	if !p.Colour {
		return text
	}
	return "\x1b[" + []string{"32", "33", "1;31"}[rank(g)] + "m" + text + "\x1b[0m"
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

// wrap breaks a text into lines of at most width characters, between words where
// that can be.
func wrap(text string, width int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for utf8.RuneCountInString(word) > width {
			cut := []rune(word)[:width]
			lines, word = append(lines, string(cut)), word[len(string(cut)):]
		}
		line = word
	}
	return append(lines, line)
}
