package natsstore

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/internal/stamp"
)

var start = fence.Epoch.Add(1000 * time.Hour)

// held is a term of 10 seconds that was granted at start.
func held() *stamp.Term {
	return &stamp.Term{Token: 7, Attempt: "a", Holder: "h", Granted: start, Expires: start.Add(10 * time.Second), Grant: 3}
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
		if got := f.overtaken(&stamp.Term{Token: c.token, Grant: c.grant}); got != c.want {
			t.Errorf("token %d stored as %d, floor %+v: overtaken %t", c.token, c.grant, f, got)
		}
	}
}

func TestFreshFloorIsBeyondTheClock(t *testing.T) {
	t.Parallel()
	f, ok, err := readFloor(stored{revision: 4, at: start, data: []byte(`{"bucket":"b","fresh":true}`)})
	want := fence.TickOf(start.Add(time.Minute)).First()
	if err != nil || !ok || f.Value != want || !f.overtaken(&stamp.Term{Token: want, Grant: 2}) {
		t.Errorf("%+v, %t, %v; want a floor of %d, also for what was stored before it", f, ok, err, want)
	}
}

func TestForeignRecordsAreRefused(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"hello", `{"name":"y","id":"1","step":{"kind":"acquire"}}`, `{"name":"x","was":{"token":"0"}}`} {
		if _, err := resolve("x", floor{}, stored{data: []byte(body)}); judge(err).Kind != driver.ErrUnfit || errors.Is(err, fence.ErrInvalid) {
			t.Errorf("the record %s: %v; want unfit", body, err)
		}
	}
	if _, _, err := readFloor(stored{data: []byte("x")}); judge(err).Kind != driver.ErrUnfit {
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
	c := call{name: "x", step: stamp.Step{Kind: stamp.Release, Attempt: "a", Token: 7}, lost: 1}
	released, lapsed, other := held(), held(), &stamp.Term{Token: 8, Attempt: "b"}
	released.Cause, released.EndedAt = driver.EndReleased, start.Add(time.Second)
	if got, _, err := c.overwritten(view{View: stamp.View{Was: released, Now: other}}); got != released || err != nil {
		t.Errorf("released in time: %+v, %v", got, err)
	}
	if got, _, err := c.overwritten(view{View: stamp.View{Was: lapsed, Now: other}}); got != nil || !judge(err).Again {
		t.Errorf("not released: %+v, %v; want another look", got, err)
	}
	_, err := c.step.Apply("x", other, stamp.Stamp{At: start})
	if err = c.refused(err); errors.Is(err, driver.ErrEnded) || judge(err).Kind != driver.ErrUnknown {
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
		now     *stamp.Term
		refused bool
	}{{nil, false}, {older, false}, {newer, true}, {held(), false}} {
		mine := call{name: "x", step: stamp.Step{Kind: stamp.Renew, Attempt: "a", Token: 7, TTL: time.Second}}
		if _, _, err := mine.foresee(t.Context(), view{View: stamp.View{Now: c.now, At: start}}, false); errors.Is(err, driver.ErrEnded) != c.refused {
			t.Errorf("renew of token 7 after a read of %+v: %v; want it refused: %t", c.now, err, c.refused)
		}
	}
}

func TestNoTokenLeft(t *testing.T) {
	t.Parallel()
	if r := judge(stamp.ErrExhausted); r.Kind != driver.ErrUnfit || r.Hint == "" {
		t.Errorf("%+v; want unfit, and what to do", r)
	}
}
