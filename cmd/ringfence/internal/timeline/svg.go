package timeline

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/journal/history"
)

// The measures of the picture, in its own units.
const (
	pictureWidth = 1080
	barsLeft     = 270 // where the bars begin
	barsRight    = 810 // and end; how a term ended stands behind
	rowHeight    = 24
	barHeight    = 12
	headHeight   = 92
)

const style = `text{font:13px system-ui,sans-serif;fill:#1f2933}.small{font-size:11px;fill:#616e7c}.title{font-size:16px;font-weight:600}
.token{font-family:ui-monospace,monospace;font-size:12px}.bad{fill:#b42318;font-weight:600}.held{fill:#2f9e6e}.outside{fill:#f0b429}
.unknown{fill:url(#unknown)}.overlap{fill:#b42318;opacity:.13}.gap{fill:#616e7c;opacity:.18}.grid{stroke:#e4e7eb}.cross{stroke:#b42318;stroke-width:2;fill:none}
.broken{fill:#b42318}.row:hover .line{fill:#f5f7fa}.line{fill:transparent}`

// SVG writes the timeline as a picture that stands alone.
func SVG(w io.Writer, h history.History, title Title) error {
	p := picture{h: h, s: scaleOf(h)}
	said := notes(h)
	rows := headHeight + rowHeight*len(h.Terms)
	height := rows + 62 + 16*len(said)
	p.print(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`, pictureWidth, height, pictureWidth, height)
	p.print(`<title>%s</title><style>%s</style>`, escape("Who held "+h.Name), style)
	p.print(`<defs><pattern id="unknown" width="6" height="6" patternUnits="userSpaceOnUse"><path d="M0 6L6 0" stroke="#9aa5b1" stroke-width="2"/></pattern></defs>`)
	p.print(`<rect width="%d" height="%d" fill="#fff"/>`, pictureWidth, height)
	p.text(16, 26, "title", fence.Quote(h.Name))
	p.text(16, 44, "small", title.Journal+": "+summary(h, title)+". "+period(p.s, title))
	p.axis(rows)
	p.bands(rows)
	for i := range h.Terms {
		p.term(&h.Terms[i], headHeight+rowHeight*i)
	}
	p.legend(rows + 28)
	for i, line := range said {
		p.text(16, rows+56+16*i, "small", line)
	}
	p.print("</svg>")
	_, err := io.WriteString(w, p.b.String())
	return err
}

type picture struct {
	b strings.Builder
	h history.History
	s scale
}

func (p *picture) print(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

func (p *picture) text(x, y int, class, text string) {
	p.print(`<text x="%d" y="%d" class="%s">%s</text>`, x, y, class, escape(text))
}

// escape makes any text fit for XML.
func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder takes everything
	return b.String()
}

func (p *picture) x(at time.Time) float64 { return barsLeft + p.s.place(at)*(barsRight-barsLeft) }

// axis has a time at each fifth.
func (p *picture) axis(bottom int) {
	if len(p.h.Terms) == 0 {
		return
	}
	layout, last := "15:04:05", ""
	for i := range 6 {
		at := p.s.from.Add(p.s.to.Sub(p.s.from) * time.Duration(i) / 5)
		x := p.x(at)
		p.print(`<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" class="grid"/>`, x, headHeight-6, x, bottom)
		label := at.UTC().Format(layout)
		if day := at.UTC().Format("2006-01-02"); day != last { // only where it changes
			p.print(`<text x="%.1f" y="%d" class="small" text-anchor="middle">%s</text>`, x, headHeight-25, day)
			last = day
		}
		p.print(`<text x="%.1f" y="%d" class="small" text-anchor="middle">%s</text>`, x, headHeight-11, label)
	}
}

// bands shade the times in which two terms' work overlapped, and those of which
// events are missing.
func (p *picture) bands(bottom int) {
	band := func(class string, from, to time.Time, what string) {
		x := p.x(from)
		p.print(`<rect x="%.1f" y="%d" width="%.1f" height="%d" class="%s"><title>%s</title></rect>`,
			x, headHeight-4, max(p.x(to)-x, 1.5), bottom-headHeight+4, class, escape(what))
	}
	for _, o := range p.h.Overlaps() {
		if !o.Perhaps {
			band("overlap", o.From, o.To, fmt.Sprintf("tokens %s and %s overlapped for %s", o.Older.Token, o.Newer.Token, Span(o.To.Sub(o.From))))
		}
	}
	for _, e := range p.h.Other {
		if e.Lost > 0 {
			band("gap", e.At, e.Until, fmt.Sprintf("%d events are missing", e.Lost))
		}
	}
}

var classOf = map[phase]string{held: "held", outside: "outside", unknown: "unknown"}

func (p *picture) term(t *history.Term, top int) {
	middle := top + rowHeight/2
	p.print(`<g class="row"><rect x="8" y="%d" width="%d" height="%d" class="line"/>`, top, pictureWidth-16, rowHeight)
	p.text(16, middle+4, "token", t.Token.String())
	p.text(144, middle+4, "small", shorten(t.Holder, longestHolder))
	for _, part := range stretches(t, p.s.to) {
		x := p.x(part.from)
		p.print(`<rect x="%.1f" y="%d" width="%.1f" height="%d" rx="2" class="%s"><title>%s</title></rect>`,
			x, middle-barHeight/2, max(p.x(part.to)-x, 2), barHeight, classOf[part.phase], escape(p.tip(t, part)))
	}
	if !t.Broken.IsZero() {
		x := p.x(t.Broken)
		p.print(`<path d="M%.1f %dl5 7h-10z" class="broken"><title>%s</title></path>`, x, middle-4, escape("broken by "+t.By+" at "+Stamp(t.Broken)))
	}
	for _, e := range t.Refused {
		x := p.x(e.At)
		p.print(`<path d="M%.1f %dl8 8m0 -8l-8 8" class="cross"><title>%s</title></path>`, x-4, middle-4, escape(Line(e)))
	}
	class := "small"
	if t.Suspect.Open() {
		class = "small bad"
	}
	p.text(barsRight+16, middle+4, class, outcome(t))
	p.print("</g>")
}

// tip is what a bar says when the pointer is on it.
func (p *picture) tip(t *history.Term, part stretch) string {
	what := map[phase]string{held: "held", outside: "work went on after the lease was over", unknown: "no word of the end of its work"}[part.phase]
	return fmt.Sprintf("token %s of %s: %s, %s to %s", t.Token, t.Holder, what, Stamp(part.from), Stamp(part.to))
}

func (p *picture) legend(y int) {
	x := 16
	entry := func(width int, mark, text string) {
		p.print(mark, x, y-9)
		p.text(x+20, y, "small", text)
		x += width
	}
	box := func(class string) string {
		return `<rect x="%d" y="%d" width="14" height="10" rx="2" class="` + class + `"/>`
	}
	entry(70, box("held"), "held")
	entry(210, box("outside"), "lease over, work went on")
	entry(160, box("unknown"), "no word of its end")
	entry(110, box("overlap"), "two at work")
	entry(130, box("gap"), "events are missing")
	entry(130, `<path d="M%d %dm3 1l8 8m0 -8l-8 8" class="cross"/>`, "write refused")
	entry(90, `<path d="M%d %dm7 1l5 7h-10z" class="broken"/>`, "broken")
}
