package guard_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/guardtest"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func newKey(t testing.TB, id string, a fence.Algorithm) fence.Key {
	t.Helper()
	k, err := fence.NewKey(id, "prod", a)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// doorOf is the door of "reports-db" on the day of the tests.
func doorOf(t testing.TB, keys ...fence.Key) guard.Door {
	t.Helper()
	ring, err := fence.NewKeyring("reports-db", keys...)
	if err != nil {
		t.Fatal(err)
	}
	return guard.Door{Keys: ring, Counter: new(guard.Counter), Clock: func() time.Time { return noon }}
}

func signed(t testing.TB, k fence.Key, f fence.Fence) (text, signature string) {
	t.Helper()
	s, err := k.Sign(fence.Claim{Fence: f, Audience: "reports-db", NotAfter: noon.Add(time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	return f.String(), s
}

func TestDoorStopsEveryForgery(t *testing.T) {
	t.Parallel()
	for _, a := range []fence.Algorithm{fence.Ed25519, fence.HMACSHA256} {
		k := newKey(t, "k1", a)
		c := fence.Claim{Fence: fence.Fence{Name: "report", Token: 41}, Audience: "reports-db", NotAfter: noon.Add(time.Minute)}
		forged, err := guardtest.Forgeries(k, c, noon)
		if err != nil {
			t.Fatal(err)
		}
		d := doorOf(t, k)
		for _, f := range forged {
			before := d.Counter.Refusals()[f.Cause]
			got, err := d.Pass("row 7", f.Fence, f.Signature)
			refused, ok := errors.AsType[*fence.RefusedError](err)
			if got != (fence.Fence{}) || !ok || refused.Verdict.Cause != f.Cause || refused.Verdict.Resource != "row 7" || !errors.Is(err, fence.ErrRefused) {
				t.Errorf("%s, %s: %v, %v; want it refused as %s", a, f.What, got, err, f.Cause)
			} else if len(err.Error()) > 500 || !strings.Contains(err.Error(), `"row 7"`) {
				t.Errorf("%s, %s: says %q", a, f.What, err)
			}
			if d.Counter.Refusals()[f.Cause] != before+1 {
				t.Errorf("%s, %s: not counted", a, f.What)
			}
		}
		if got, err := d.Pass("row 7", c.Fence.String(), mustSign(t, k, c)); got != c.Fence || err != nil {
			t.Errorf("%s: the authority's own fence: %v, %v", a, got, err)
		}
	}
}

func mustSign(t testing.TB, k fence.Key, c fence.Claim) string {
	t.Helper()
	s, err := k.Sign(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestDoorWhileAKeyIsRotated goes through a rotation by hand, step by step.
func TestDoorWhileAKeyIsRotated(t *testing.T) {
	t.Parallel()
	old, fresh := newKey(t, "old", fence.Ed25519), newKey(t, "new", fence.Ed25519)
	f := fence.Fence{Name: "report", Token: 41}
	for step, c := range map[string]struct {
		trusted        []fence.Key
		byOld, byFresh bool
	}{
		"before":              {[]fence.Key{old}, true, false},
		"prepared":            {[]fence.Key{old, fresh}, true, true},
		"the old one revoked": {[]fence.Key{fresh}, false, true},
		"nobody trusted":      {nil, false, false},
	} {
		d := doorOf(t, c.trusted...)
		for k, want := range map[*fence.Key]bool{&old: c.byOld, &fresh: c.byFresh} {
			text, signature := signed(t, *k, f)
			if _, err := d.Pass("row 7", text, signature); (err == nil) != want {
				t.Errorf("%s, a signature by %s: %v", step, k.ID, err)
			}
		}
	}
}

func TestDoorWithoutKeys(t *testing.T) {
	t.Parallel()
	d := guard.Door{Lease: "report", Clock: func() time.Time { return noon }}
	limit := fence.FutureLimit(fence.TickOf(noon))
	for text, want := range map[string]fence.Cause{
		"rf1:41:report": fence.NoCause,
		fence.Fence{Name: "report", Token: limit}.String():     fence.NoCause,
		fence.Fence{Name: "report", Token: limit + 1}.String(): fence.Future,
		"rf1:41:Report":  fence.Invalid,
		"rf1:041:report": fence.Invalid,
		"":               fence.Invalid,
	} {
		f, err := d.Pass("row 7", text, "rs1:nobody:looks:at:it")
		refused, _ := errors.AsType[*fence.RefusedError](err)
		switch {
		case want == fence.NoCause && (err != nil || f.String() != text):
			t.Errorf("%s: %v, %v", text, f, err)
		case want != fence.NoCause && (refused == nil || refused.Verdict.Cause != want):
			t.Errorf("%s: %v; want it refused as %s", text, err, want)
		}
	}
}

func TestDoorRefusesWhatElseCameAlong(t *testing.T) {
	t.Parallel()
	d := guard.Door{Counter: new(guard.Counter)}
	reason := errors.New("seq 0")
	err := d.Refuse("row 7", fence.Fence{Name: "report", Token: 41}, fence.Invalid, reason)
	if !errors.Is(err, fence.ErrRefused) || !errors.Is(err, reason) || d.Counter.Refusals()[fence.Invalid] != 1 {
		t.Errorf("%v, counted %d", err, d.Counter.Refusals()[fence.Invalid])
	}
	if want := `refused: invalid at "row 7": the write carries token 41 of "report": seq 0`; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}

// FuzzDoor looks for a text or a signature that passes, and is not the one that was
// signed.
func FuzzDoor(f *testing.F) {
	k := newKey(f, "k1", fence.HMACSHA256)
	d := doorOf(f, k)
	text, signature := signed(f, k, fence.Fence{Name: "a/b", Token: 41})
	f.Add(text, signature)
	f.Add("rf1:42:a%2Fb", signature)
	f.Add(text, "rs1:k1:1795953660::AAAA")
	f.Fuzz(func(t *testing.T, gotText, gotSignature string) {
		passed, err := d.Pass("row 7", gotText, gotSignature)
		if (err == nil) != (gotText == text && gotSignature == signature) || (err == nil) != (passed != fence.Fence{}) {
			t.Errorf("%q, %q: %v, %v", gotText, gotSignature, passed, err)
		}
	})
}

func BenchmarkDoor(b *testing.B) {
	for _, a := range []fence.Algorithm{fence.Ed25519, fence.HMACSHA256} {
		b.Run(string(a), func(b *testing.B) {
			k := newKey(b, "k1", a)
			d := doorOf(b, k.Verifier())
			text, signature := signed(b, k, fence.Fence{Name: "rollups/2026-11-29", Token: fence.TickOf(noon).First()})
			for b.Loop() {
				if _, err := d.Pass("row 7", text, signature); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
