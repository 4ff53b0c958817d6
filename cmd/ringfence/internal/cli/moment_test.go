package cli

import (
	"testing"
	"time"
)

func TestMoment(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-11-29T02:00:00Z":    "2026-11-29T02:00:00Z",
		"2026-11-29 02:00":        "2026-11-29T02:00:00Z",
		"2026-11-29 02:00:05 UTC": "2026-11-29T02:00:05Z",
	} {
		var m moment
		if err := m.Set(text); err != nil || m.at.Format(time.RFC3339) != want {
			t.Errorf("%s: %s, %v; want %s", text, m.at, err, want)
		}
	}
	for _, bad := range []string{"", "yesterday", "24:00", "-5m", "2026-13-01", "3"} {
		if err := new(moment).Set(bad); err == nil {
			t.Errorf("%q is taken for a moment", bad)
		}
	}
}

// TestTimeOfDay: a bare time is the last one, also across midnight.
func TestTimeOfDay(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 0, 30, 0, 0, time.UTC)
	for clock, want := range map[string]time.Time{
		"00:30": now,
		"00:10": now.Add(-20 * time.Minute),
		"23:50": now.Add(-40 * time.Minute),
		"00:31": now.Add(time.Minute).AddDate(0, 0, -1),
	} {
		of, err := time.Parse("15:04", clock)
		if got := latest(of, now); err != nil || !got.Equal(want) {
			t.Errorf("%s at %s: %s, %v; want %s", clock, now, got, err, want)
		}
	}
	var m moment
	if err := m.Set("03:10"); err != nil || m.at.After(time.Now()) || time.Since(m.at) > 24*time.Hour {
		t.Errorf("03:10: %s, %v", m.at, err)
	}
}
