package fence

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

func TestTokenHasOneSpelling(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"1", "42", "9007199254740991"} {
		token, err := ParseToken(s)
		if err != nil || token.String() != s {
			t.Errorf("ParseToken(%q) = %v, %v", s, token, err)
		}
	}
	for _, s := range []string{
		"", "0", "-1", "+5", "05", " 5", "5 ", "5.0", "1e3", "0x10", "1_000", "５", "9007199254740992",
		"9223372036854775807", "9223372036854775808", "NaN", strings.Repeat("9", 1<<20),
	} {
		if token, err := ParseToken(s); !errors.Is(err, ErrInvalid) || token != 0 || len(err.Error()) > 250 {
			t.Errorf("ParseToken(%s) = %v, %v", Quote(s), token, err)
		}
	}
}

func TestTokenIsAStringOnTheWire(t *testing.T) {
	t.Parallel()
	b, err := json.Marshal(map[string]Token{"token": MaxToken})
	if err != nil || string(b) != `{"token":"9007199254740991"}` {
		t.Fatalf("%s, %v", b, err)
	}
	var back map[string]Token
	if err := json.Unmarshal(b, &back); err != nil || back["token"] != MaxToken {
		t.Errorf("%v, %v", back, err)
	}
	for _, bad := range []string{`{"token":9007199254740991}`, `{"token":"0"}`, `{"token":"1e3"}`} {
		if err := json.Unmarshal([]byte(bad), &back); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}

func TestNextRisesWhateverTheClockDoes(t *testing.T) {
	t.Parallel()
	now := TickOf(Epoch.Add(time.Second))
	for _, c := range []struct {
		last, floor Token
		now         Tick
		want        Token
	}{
		{0, 0, now, 4096000},             // a new name begins at the clock
		{4096000, 0, now, 4096001},       // in the same millisecond the count goes on
		{4096000, 0, now - 900, 4096001}, // a clock that was set back decides nothing
		{4096000, 5000000, now, 5000001}, // a floor that was raised
		{4096000, 5000000, now + 1000, 8192000},
		{0, 0, 0, 1}, // never 0
	} {
		if got := Next(c.last, c.floor, c.now); got != c.want {
			t.Errorf("Next(%d, %d, %d) = %d, want %d", c.last, c.floor, c.now, got, c.want)
		}
	}
}

func TestTicksLastUntil2093(t *testing.T) {
	t.Parallel()
	if Epoch.UnixMilli() != EpochUnixMilli {
		t.Errorf("EpochUnixMilli is %d, Epoch %d", EpochUnixMilli, Epoch.UnixMilli())
	}
	last := time.Date(2093, 9, 6, 0, 0, 0, 0, time.UTC)
	if token := TickOf(last).First(); !token.Valid() {
		t.Errorf("in 2093 the clock lends %d, beyond the last token", token)
	}
	if got := FutureLimit(TickOf(last)); got > MaxToken {
		t.Errorf("FutureLimit %d lies beyond the last token", got)
	}
	at := time.Date(2026, 11, 29, 13, 0, 0, 0, time.UTC)
	if got := (TickOf(at).First() + 7).Time(); !got.Equal(at) {
		t.Errorf("the token of %s says %s", at, got)
	}
}

var names = []string{
	"report", "a//b", "file:///x", "../x", "Router-A", "router-a", "two words", "100%", "a:b", "{x}", "*", "a.*.>",
	"';--", "\u00e1", "a\u0301", "🔒", strings.Repeat("n", MaxNameBytes), "rf1:5:x", "a+b", "\u200bx",
}

func TestFenceRoundTripsAnyName(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, name := range names {
		f := Fence{Name: name, Token: 42}
		s := f.String()
		if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Errorf("%q is not plain ASCII", s)
		}
		if other, ok := seen[s]; ok {
			t.Errorf("%q and %q are both %q", name, other, s)
		}
		seen[s] = name
		back, err := Parse(s)
		if err != nil || back != f {
			t.Errorf("Parse(%q) = %+v, %v", s, back, err)
		}
	}
}

func TestParseRefusesOtherSpellings(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"", "rf1", "rf1:", "rf1:5", "rf1:5:", "rf1:0:x", "rf1:05:x", "rf2:5:x", "5:x", "rf1:5:%zz", "rf1:5:%41",
		"rf1:5:two words", "rf1:5:\u00e1", "rf1:5:%00", "rf1:5:%ff", "rf1:9007199254740992:x", "rf1:5:" + strings.Repeat("n", 513),
	} {
		if f, err := Parse(s); !errors.Is(err, ErrInvalid) || f != (Fence{}) {
			t.Errorf("Parse(%s) = %+v, %v", Quote(s), f, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("rf1:42:report")
	f.Add("rf1:1:a%2Fb")
	f.Fuzz(func(t *testing.T, s string) {
		fence, err := Parse(s)
		if err == nil && (fence.String() != s || fence.Check() != nil) {
			t.Errorf("Parse(%q) = %+v, which renders as %q", s, fence, fence.String())
		}
	})
}

func TestScenario_R30_Names(t *testing.T) {
	t.Parallel()
	for _, name := range names {
		if err := CheckName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{
		"", strings.Repeat("n", MaxNameBytes+1), strings.Repeat("n", 1<<20), "a\x00b", "a\nb", "a\x7fb", "\u0085x", "a\xff", " a", "a ", "\u00a0a",
	} {
		err := CheckName(name)
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", Quote(name), err)
		} else if len(err.Error()) > 500 {
			t.Errorf("%s: an error of %d bytes", Quote(name), len(err.Error()))
		}
	}
}

func TestVerdictSaysWhatToDo(t *testing.T) {
	t.Parallel()
	if v := (Verdict{}); v.OK() || v.Err() == nil || v.Outcome != Unknown {
		t.Errorf("the zero verdict is %s", v)
	}
	for _, o := range []Outcome{Admitted, Duplicate} {
		if v := (Verdict{Outcome: o}); !v.OK() || v.Err() != nil {
			t.Errorf("%s is not good", v)
		}
	}
	v := Verdict{Outcome: Refused, Cause: Superseded, Resource: "row 7", Fence: Fence{"report", 41}, Mark: 42}
	if !errors.Is(v.Err(), ErrRefused) || errors.Is(Verdict{Outcome: Unavailable}.Err(), ErrRefused) {
		t.Error("exactly a refusal is ErrRefused")
	}
	for _, part := range []string{"superseded", "row 7", "41", "42", "report"} {
		if !strings.Contains(v.Err().Error(), part) {
			t.Errorf("%q does not say %q", v.Err(), part)
		}
	}
	seen := map[string]bool{"none": true}
	for _, c := range Causes() {
		if seen[c.String()] {
			t.Errorf("two causes are called %s", c)
		}
		seen[c.String()] = true
	}
	if len(seen) != len(causes) {
		t.Errorf("Causes lists %d of %d", len(seen)-1, len(causes)-1)
	}
	if s := Cause(math.MaxUint8).String(); s != "undefined(255)" {
		t.Errorf("an undefined cause is %q", s)
	}
}
