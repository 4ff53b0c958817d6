package doctor

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ringfence-go/ringfence/driver"
)

var sample = Report{Store: "redis://h", Grade: driver.Unfit, measured: 1, Findings: []driver.Finding{
	{Subject: "atomic acquire", Grade: driver.Fit, Found: "one of 8", Means: "one step"},
	{Subject: "version", Grade: driver.Fit, Found: "7.0.15", Means: "has what is needed"},
	{Subject: "persistence", Grade: driver.Warning, Found: "appendonly no", Means: "a restart loses every lease and more", Do: "set appendonly yes"},
	{Subject: "eviction policy", Grade: driver.Unfit, Found: "maxmemory-policy allkeys-lru", Means: "the server removes keys", Do: "set maxmemory-policy to noeviction"},
}}

func written(t *testing.T, p Page, r Report) string {
	t.Helper()
	var b strings.Builder
	if err := p.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPage(t *testing.T) {
	t.Parallel()
	want := `redis://h: unfit to host leases

What a lease needs, tried on a throw-away name

fit      atomic acquire   one of 8              one step

What can take it away

unfit    eviction policy  maxmemory-policy      the server removes keys
                          allkeys-lru           do: set maxmemory-policy to
                                                noeviction
warning  persistence      appendonly no         a restart loses every lease and
                                                more
                                                do: set appendonly yes
fit      version          7.0.15                has what is needed
`
	if got := written(t, Page{Width: 80}, sample); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPageFits(t *testing.T) {
	t.Parallel()
	for _, width := range []int{1, 20, 40, narrowest - 1, narrowest, 100, 500} {
		text := written(t, Page{Width: width}, sample)
		for line := range strings.Lines(text[strings.Index(text, "\n\n"):]) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > min(max(width, mark+gap+20), widest) && !strings.HasPrefix(line, "What") {
				t.Errorf("width %d: %d characters: %s", width, n, line)
			}
		}
		for _, word := range []string{"allkeys-lru", "noeviction", "version"} {
			if !strings.Contains(text, word) {
				t.Errorf("width %d lacks %s:\n%s", width, word, text)
			}
		}
	}
}

func TestPageColours(t *testing.T) {
	t.Parallel()
	if text := written(t, Page{Width: 80}, sample); strings.Contains(text, "\x1b") {
		t.Errorf("colours where there is no terminal:\n%q", text)
	}
	text := written(t, Page{Width: 80, Colour: true}, sample)
	for _, painted := range []string{"\x1b[1;31munfit  \x1b[0m", "\x1b[33mwarning\x1b[0m", "\x1b[32mfit    \x1b[0m"} {
		if !strings.Contains(text, painted) {
			t.Errorf("lacks %q:\n%q", painted, text)
		}
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                "",
		"one two three":   "one two|three",
		"längeres wörtle": "längeres|wörtle",
		"0123456789ab cd": "0123456789|ab cd",
	} {
		if got := strings.Join(wrap(text, 10), "|"); got != want {
			t.Errorf("%q: %q; want %q", text, got, want)
		}
	}
}
