package cli

import (
	"io"
	"os"
	"sync"
	"unicode/utf8"
)

// statusLine is a terminal on which one line may be drawn again and again. Whatever
// else is written takes its place.
type statusLine struct {
	w     io.Writer
	width func() int // in columns

	mu    sync.Mutex
	drawn bool
}

// diagnostics is where what is said for people goes: f, with a line to draw on where it
// is a terminal that can.
func diagnostics(f *os.File) io.Writer {
	if terminalWidth(f) == 0 || os.Getenv("TERM") == "dumb" {
		return f
	}
	return &statusLine{w: f, width: func() int { return terminalWidth(f) }}
}

func (s *statusLine) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	return s.w.Write(p)
}

// draw shows text in the place of what was drawn before, as far as it fits in one line.
func (s *statusLine) draw(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = io.WriteString(s.w, eraseLine+cut(text, s.width()-1))
	s.drawn = true
}

func (s *statusLine) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
}

func (s *statusLine) erase() {
	if s.drawn {
		_, _ = io.WriteString(s.w, eraseLine)
		s.drawn = false
	}
}

// cut is text in at most n characters.
func cut(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:max(n-1, 0)]) + "…"
}
