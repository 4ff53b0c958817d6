package cli

import (
	"errors"
	"strings"
	"time"
)

// moment is a flag's value: a time, or how long ago it was.
type moment struct {
	at   time.Time
	text string
}

func (m *moment) String() string { return m.text }

// Type is the word for the value in the help.
func (m *moment) Type() string { return "TIME" }

// layouts are how a time may be written. What is left out is zero, and a time without
// a zone is UTC, as all that is printed.
var layouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02"}

// Set implements pflag.Value.
func (m *moment) Set(s string) error {
	text := strings.TrimSuffix(s, " UTC")
	for _, layout := range layouts {
		if at, err := time.ParseInLocation(layout, text, time.UTC); err == nil {
			m.at, m.text = at, s
			return nil
		}
	}
	now := time.Now().UTC()
	for _, layout := range []string{"15:04:05.999999999", "15:04"} {
		if of, err := time.Parse(layout, text); err == nil {
			m.at, m.text = latest(of, now), s
			return nil
		}
	}
	ago, err := time.ParseDuration(text)
	if err != nil || ago < 0 {
		return errors.New("write a time like 2026-11-29T02:00:00Z, '2026-11-29 02:00' or 02:00, which are UTC, or how long ago it was, like 90m")
	}
	m.at, m.text = now.Add(-ago), s
	return nil
}

// latest is the last time at or before now that a clock showed what of shows: a night
// shift asks for 23:50 after midnight.
func latest(of, now time.Time) time.Time {
	at := now.Truncate(24 * time.Hour).Add(of.Sub(of.Truncate(24 * time.Hour)))
	if at.After(now) {
		at = at.AddDate(0, 0, -1)
	}
	return at
}
