package natsstore

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

var start = fence.Epoch.Add(1000 * time.Hour)

// held is a term of 10 seconds that was granted at start.
func held() *term {
	return &term{Token: 7, Attempt: "a", Holder: "h", Granted: start, Expires: start.Add(10 * time.Second), Grant: 3}
}

// TestTimestampDecides: what a stored message did follows from the server's
// timestamp of it, whatever its writer believed.
func TestTimestampDecides(t *testing.T) {
	t.Parallel()
	taking := step{Kind: acquire, Attempt: "b", TTL: time.Second}
	renewal := step{Kind: renew, Attempt: "a", Token: 7, TTL: time.Minute}
	ending := step{Kind: release, Attempt: "a", Token: 7}
	breaking := step{Kind: force, Attempt: "a", Token: 7, By: "op"}
	const inTime, late = 10*time.Second - 1, 10 * time.Second
	for _, c := range []struct {
		what  string
		step  step
		after time.Duration
		want  error // nil where the step is taken
	}{
		{"a grant over a live term", taking, inTime, driver.ErrHeld},
		{"a grant over a lapsed one", taking, late, nil},
		{"a renewal in time", renewal, inTime, nil},
		{"a late renewal", renewal, late, driver.ErrEnded},
		{"a release in time", ending, inTime, nil},
		{"a late release", ending, late, driver.ErrEnded},
		{"a break in time", breaking, inTime, nil},
		{"a late break", breaking, late, driver.ErrEnded},
	} {
		was := held()
		got, err := c.step.apply("x", was, start.Add(c.after), 9)
		if !errors.Is(err, c.want) || (err != nil) != (got == was) || *was != *held() {
			t.Errorf("%s: %+v, %v; want %v, and the term as it was where that is an error", c.what, got, err, c.want)
		}
	}
}

func TestTokenOfAGrant(t *testing.T) {
	t.Parallel()
	lapsed := start.Add(time.Hour)
	ahead := held()
	ahead.Token = fence.TickOf(lapsed).First() + 5
	for _, c := range []struct {
		what  string
		was   *term
		floor fence.Token
		want  fence.Token
	}{
		{"a new name", nil, 0, fence.TickOf(lapsed).First()},
		{"a known name", held(), 0, fence.TickOf(lapsed).First()},
		{"a number ahead of the clock", ahead, 0, ahead.Token + 1},
		{"a floor ahead of both", ahead, ahead.Token + 100, ahead.Token + 101},
	} {
		got, err := step{Kind: acquire, Attempt: "b", TTL: time.Second, Floor: c.floor}.apply("x", c.was, lapsed, 9)
		if err != nil || got.Token != c.want || got.Grant != 9 || !got.Expires.Equal(lapsed.Add(time.Second)) {
			t.Errorf("%s: %+v, %v; want token %d", c.what, got, err, c.want)
		}
	}
	last := held()
	last.Token = fence.MaxToken
	if got, err := (step{Kind: acquire, Attempt: "b"}).apply("x", last, lapsed, 9); judge(err).kind != driver.ErrUnfit || got != last {
		t.Errorf("after the last token: %+v, %v; want unfit", got, err)
	}
}

// TestFloorOvertakesAGrant: only what lies above the floor that was in force when
// it was stored is given to anybody.
func TestFloorOvertakesAGrant(t *testing.T) {
	t.Parallel()
	f := floor{Value: 100, Before: 50, revision: 10}
	for _, c := range []struct {
		token fence.Token
		grant uint64
		want  bool
	}{
		{100, 11, true}, {101, 11, false}, // stored after the floor
		{60, 9, false}, {50, 9, true}, // and before it: 50 was the floor then
	} {
		if got := f.overtaken(&term{Token: c.token, Grant: c.grant}); got != c.want {
			t.Errorf("token %d stored as %d, floor %+v: overtaken %t", c.token, c.grant, f, got)
		}
	}
	again := step{Kind: acquire, Attempt: "a", TTL: time.Second, Floor: 6}
	if got, err := again.apply("x", held(), start, 12); err != nil || *got != *held() {
		t.Errorf("the attempt of a good grant: %+v, %v; want that grant", got, err)
	}
	again.Floor = 100
	if got, err := again.apply("x", held(), start, 12); err != nil || got.Token <= 100 || got.Grant != 12 {
		t.Errorf("the attempt of an overtaken grant: %+v, %v; want a new grant above the floor", got, err)
	}
}

func TestFreshFloorIsBeyondTheClock(t *testing.T) {
	t.Parallel()
	f, ok, err := readFloor(stored{revision: 4, at: start, data: []byte(`{"bucket":"b","fresh":true}`)})
	want := fence.TickOf(start.Add(time.Minute)).First()
	if err != nil || !ok || f.Value != want || !f.overtaken(&term{Token: want, Grant: 2}) {
		t.Errorf("%+v, %t, %v; want a floor of %d, also for what was stored before it", f, ok, err, want)
	}
}

func TestForeignRecordsAreRefused(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"hello", `{"name":"y","id":"1","step":{"kind":"acquire"}}`, `{"name":"x","was":{"token":"0"}}`} {
		if _, err := resolve("x", floor{}, stored{data: []byte(body)}); judge(err).kind != driver.ErrUnfit || errors.Is(err, fence.ErrInvalid) {
			t.Errorf("the record %s: %v; want unfit", body, err)
		}
	}
	if _, _, err := readFloor(stored{data: []byte("x")}); judge(err).kind != driver.ErrUnfit {
		t.Errorf("a foreign floor: %v; want unfit", err)
	}
}

func TestKeysNeverMeet(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, name := range []string{
		"a", "A", "a.b", "a/b", "a=2Eb", "a=b", "=", ".", "..", "*", ">", "a.*.>", "a b", "é", "e\u0301", "%2E", "+", "🔒", strings.Repeat("é", 256),
	} {
		k := key(name)
		if strings.ContainsAny(k, ".*> %") || k == "" {
			t.Errorf("%q becomes %q, which is not one token of a subject", name, k)
		}
		if other, ok := seen[k]; ok {
			t.Errorf("%q and %q are both %q", name, other, k)
		}
		seen[k] = name
		if back, err := nameOf("$KV.b.lease." + k); err != nil || back != name {
			t.Errorf("%q comes back as %q, %v", name, back, err)
		}
	}
	for _, odd := range []string{"a=2e", "a=41", "=", "a%2E", "=ZZ"} {
		if name, err := nameOf("$KV.b.lease." + odd); err == nil {
			t.Errorf("the key %q was read as %q; want it refused", odd, name)
		}
	}
	if n := len(key(strings.Repeat("🔒", 128))); n > 3*fence.MaxNameBytes {
		t.Errorf("the longest key has %d bytes", n)
	}
}

// TestOutcomeOfAnOverwrittenRelease: the name went to another before the release
// was read back. What it was before that shows how the release came out.
func TestOutcomeOfAnOverwrittenRelease(t *testing.T) {
	t.Parallel()
	c := call{name: "x", step: step{Kind: release, Attempt: "a", Token: 7}, lost: 1}
	released, lapsed, other := held(), held(), &term{Token: 8, Attempt: "b"}
	released.Cause, released.EndedAt = driver.EndReleased, start.Add(time.Second)
	if got, _, err := c.overwritten(view{was: released, now: other}); got != released || err != nil {
		t.Errorf("released in time: %+v, %v", got, err)
	}
	if got, _, err := c.overwritten(view{was: lapsed, now: other}); got != nil || !judge(err).again {
		t.Errorf("not released: %+v, %v; want another look", got, err)
	}
	_, err := c.step.apply("x", other, start, 9)
	if err = c.refused(err); errors.Is(err, driver.ErrEnded) || judge(err).kind != driver.ErrUnknown {
		t.Errorf("a release that may have come in time: %v; want unknown", err)
	}
}

// TestReadAloneEndsNoTerm: a read that knows no term, or an older one, may be that
// of a replica which lags. The write decides.
func TestReadAloneEndsNoTerm(t *testing.T) {
	t.Parallel()
	older, newer := held(), held()
	older.Token, newer.Token = 6, 8
	for _, c := range []struct {
		now     *term
		refused bool
	}{{nil, false}, {older, false}, {newer, true}, {held(), false}} {
		mine := call{name: "x", step: step{Kind: renew, Attempt: "a", Token: 7, TTL: time.Second}}
		if _, _, err := mine.foresee(t.Context(), view{now: c.now, at: start}, false); errors.Is(err, driver.ErrEnded) != c.refused {
			t.Errorf("renew of token 7 after a read of %+v: %v; want it refused: %t", c.now, err, c.refused)
		}
	}
}

func TestHintsAreForEnds(t *testing.T) {
	t.Parallel()
	over := held()
	over.Cause = driver.EndForced
	if (view{now: held()}).given() || !(view{now: over}).given() || !(view{}).given() {
		t.Error("a hint is for a term that was ended, or a record that is gone")
	}
}
