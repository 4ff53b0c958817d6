package demo

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// lane is what a process is doing from one moment on.
type lane rune

const (
	laneNone    lane = 0
	laneWork    lane = '█'
	lanePaused  lane = '░'
	laneOver    lane = '·' // paused, and the lease is over
	laneDone    lane = '✓'
	laneRefused lane = '✗'
)

// theLease is the third actor: its lane is the letter of who holds it.
const theLease = "lease"

// moment is one thing that happened.
type moment struct {
	at   time.Duration
	who  string
	lane lane
}

// beat is the pause after a step, so that a person can follow.
const beat = 600 * time.Millisecond

// telling says each step as it happens, and draws them all at the end.
type telling struct {
	out     io.Writer
	begun   time.Time
	moments []moment
}

func newTelling(out io.Writer) *telling { return &telling{out: out, begun: time.Now()} }

func (t *telling) say(who string, l lane, format string, args ...any) {
	m := moment{time.Since(t.begun), who, l}
	t.moments = append(t.moments, m)
	fmt.Fprintf(t.out, "   %4.1f s  %s  %s\n", m.at.Seconds(), who, fmt.Sprintf(format, args...))
	time.Sleep(beat)
}

// holds notes who holds the lease since the last step; 0 is nobody.
func (t *telling) holds(who lane) {
	t.moments = append(t.moments, moment{t.moments[len(t.moments)-1].at, theLease, who})
}

// width is how many columns the timeline has.
const width = 60

// draw draws one row for each process, and one for who holds the lease.
func (t *telling) draw(author string) {
	end := t.moments[len(t.moments)-1].at
	column := func(d time.Duration) int {
		return min(int(float64(d)/float64(end)*(width-1)), width-1)
	}
	fmt.Fprintf(t.out, "\n   %-10s %s\n", "", axis(end))
	for _, row := range [][2]string{{"process A", "A"}, {"process B", "B"}, {"lease", theLease}} {
		fmt.Fprintf(t.out, "   %-10s %s\n", row[0], t.row(row[1], column))
	}
	fmt.Fprintf(t.out, "   %-10s %*s\n", "", width, "the report is "+author+"'s ▲")
	fmt.Fprintf(t.out, "   █ runs  ░ paused  · paused, its lease is over  ✓ write taken  ✗ write refused\n")
}

func axis(end time.Duration) string {
	row := []rune(strings.Repeat("─", width))
	for s := time.Duration(0); s <= end; s += time.Second {
		label := []rune(fmt.Sprintf("%.0fs", s.Seconds()))
		at := int(float64(s) / float64(end) * (width - 1))
		if at+len(label) <= width {
			copy(row[at:], label)
		}
	}
	return string(row)
}

// row paints what one actor was doing, moment by moment.
func (t *telling) row(who string, column func(time.Duration) int) string {
	row := []rune(strings.Repeat(" ", width))
	var now lane
	from := 0
	for _, m := range t.moments {
		if m.who != who {
			continue
		}
		for i := from; now != laneNone && i < column(m.at); i++ {
			row[i] = rune(now)
		}
		from, now = column(m.at), m.lane
		if now != laneNone {
			row[from] = rune(now)
		}
		if now == laneDone || now == laneRefused {
			now = laneNone
		}
	}
	return string(row)
}
