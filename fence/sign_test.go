package fence

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

var until = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func claim(name string, token Token) Claim {
	return Claim{Fence: Fence{Name: name, Token: token}, Holder: "worker-7", Audience: "reports-db", NotAfter: until}
}

func key(t testing.TB, id string, a Algorithm) Key {
	t.Helper()
	k, err := NewKey(id, "prod", a)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func ring(t testing.TB, audience string, keys ...Key) *Keyring {
	t.Helper()
	r, err := NewKeyring(audience, keys...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func sign(t testing.TB, k Key, c Claim) string {
	t.Helper()
	s, err := k.Sign(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var algorithms = []Algorithm{Ed25519, HMACSHA256}

func TestSignatureVouchesForAnyName(t *testing.T) {
	t.Parallel()
	for _, a := range algorithms {
		k := key(t, "2026-11", a)
		r := ring(t, "reports-db", k.Verifier())
		for _, name := range names {
			c := claim(name, MaxToken)
			got, err := r.Verify(c.Fence, sign(t, k, c), until)
			if err != nil || got != c {
				t.Errorf("%s, %s: %+v, %v", a, Quote(name), got, err)
			}
		}
	}
}

func TestSignatureFitsIn256Bytes(t *testing.T) {
	t.Parallel()
	label := strings.Repeat("k", MaxLabelBytes)
	for _, a := range algorithms {
		k, err := NewKey(label, label, a)
		if err != nil {
			t.Fatal(err)
		}
		c := Claim{
			Fence: Fence{Name: strings.Repeat("n", MaxNameBytes), Token: MaxToken}, Audience: label,
			Holder: strings.Repeat("h", MaxSignedHolderBytes-1) + "\u00e1" + strings.Repeat("h", 200), NotAfter: time.Unix(99_999_999_999, 0),
		}
		s := sign(t, k, c)
		if len(s) > MaxSignatureBytes {
			t.Errorf("%s: %d bytes", a, len(s))
		}
		got, err := ring(t, label, k).Verify(c.Fence, s, until)
		if want := strings.Repeat("h", MaxSignedHolderBytes-1); err != nil || got.Holder != want {
			t.Errorf("%s: holder %q, %v", a, got.Holder, err)
		}
	}
}

func TestSignatureIsForOneFenceAndOneDestination(t *testing.T) {
	t.Parallel()
	for _, a := range algorithms {
		k := key(t, "k1", a)
		c := claim("report", 42)
		good := sign(t, k, c)
		r := ring(t, c.Audience, k)
		twin := key(t, "k1", a)
		revoked := ring(t, c.Audience, key(t, "k2", a))
		otherAuthority := k
		otherAuthority.Authority = "staging"
		for what, verify := range map[string]func() (Claim, error){
			"another name":      func() (Claim, error) { return r.Verify(Fence{"Report", 42}, good, until) },
			"another token":     func() (Claim, error) { return r.Verify(Fence{"report", 43}, good, until) },
			"no token":          func() (Claim, error) { return r.Verify(Fence{"report", 0}, good, until) },
			"another audience":  func() (Claim, error) { return ring(t, "mails", k).Verify(c.Fence, good, until) },
			"another authority": func() (Claim, error) { return ring(t, c.Audience, otherAuthority).Verify(c.Fence, good, until) },
			"another secret":    func() (Claim, error) { return ring(t, c.Audience, twin).Verify(c.Fence, good, until) },
			"a revoked key":     func() (Claim, error) { return revoked.Verify(c.Fence, good, until) },
			"nobody's keyring":  func() (Claim, error) { return new(Keyring).Verify(c.Fence, good, until) },
			"a second too late": func() (Claim, error) { return r.Verify(c.Fence, good, until.Add(time.Second)) },
			"a longer life": func() (Claim, error) {
				return r.Verify(c.Fence, strings.Replace(good, "1795953600", "1795953601", 1), until)
			},
			"another holder": func() (Claim, error) {
				return r.Verify(c.Fence, strings.Replace(good, "d29ya2VyLTc", "d29ya2VyLTg", 1), until)
			},
		} {
			if got, err := verify(); !errors.Is(err, ErrInvalid) || got != (Claim{}) {
				t.Errorf("%s, %s: %+v, %v", a, what, got, err)
			}
		}
	}
}

func TestAlteredSignaturesAreInvalid(t *testing.T) {
	t.Parallel()
	k := key(t, "k1", Ed25519)
	c := claim("report", 42)
	good := sign(t, k, c)
	r := ring(t, c.Audience, k)
	for i := range good {
		for _, bit := range []byte{1, 0x20, 0x80} {
			b := []byte(good)
			b[i] ^= bit
			if _, err := r.Verify(c.Fence, string(b), until); !errors.Is(err, ErrInvalid) {
				t.Errorf("byte %d flipped by %#x: %v", i, bit, err)
			}
		}
		if _, err := r.Verify(c.Fence, good[:i], until); !errors.Is(err, ErrInvalid) {
			t.Errorf("cut after %d bytes: %v", i, err)
		}
	}
	for _, s := range []string{good + "A", good + "=", " " + good, good + "\n", strings.Repeat("rs1:", 1<<18)} {
		if _, err := r.Verify(c.Fence, s, until); !errors.Is(err, ErrInvalid) || len(err.Error()) > 300 {
			t.Errorf("%s: %v", Quote(s), err)
		}
	}
}

func TestTwoKeysWhileOneIsRotated(t *testing.T) {
	t.Parallel()
	old, fresh := key(t, "old", Ed25519), key(t, "new", HMACSHA256)
	r := ring(t, "reports-db", old, fresh)
	for _, k := range []Key{old, fresh} {
		c := claim("report", 7)
		if _, err := r.Verify(c.Fence, sign(t, k, c), until); err != nil {
			t.Errorf("%s: %v", k.ID, err)
		}
	}
}

func TestKeysAreChecked(t *testing.T) {
	t.Parallel()
	ed, mac := key(t, "k", Ed25519), key(t, "k", HMACSHA256)
	for what, k := range map[string]Key{
		"no id":               {Authority: "a", Algorithm: Ed25519, Public: ed.Public},
		"a colon":             {ID: "a:b", Authority: "a", Algorithm: Ed25519, Public: ed.Public},
		"a long id":           {ID: strings.Repeat("k", MaxLabelBytes+1), Authority: "a", Algorithm: Ed25519, Public: ed.Public},
		"no authority":        {ID: "k", Algorithm: Ed25519, Public: ed.Public},
		"no algorithm":        {ID: "k", Authority: "a", Public: ed.Public},
		"no public half":      {ID: "k", Authority: "a", Algorithm: Ed25519, Secret: ed.Secret},
		"a short seed":        {ID: "k", Authority: "a", Algorithm: Ed25519, Public: ed.Public, Secret: ed.Secret[:31]},
		"no secret":           {ID: "k", Authority: "a", Algorithm: HMACSHA256},
		"a secret of 1 byte":  {ID: "k", Authority: "a", Algorithm: HMACSHA256, Secret: mac.Secret[:1]},
		"unknown algorithm":   {ID: "k", Authority: "a", Algorithm: "none", Secret: mac.Secret},
		"a name for a number": {ID: "k\n", Authority: "a", Algorithm: HMACSHA256, Secret: mac.Secret},
	} {
		if _, err := NewKeyring("reports-db", k); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		} else if strings.Contains(err.Error(), string(mac.Secret)) {
			t.Errorf("%s: the secret is in the error", what)
		}
	}
	if _, err := NewKeyring("reports-db", ed, mac); !errors.Is(err, ErrInvalid) {
		t.Error("two keys with one id were taken")
	}
	if _, err := ed.Verifier().Sign(claim("report", 1)); !errors.Is(err, ErrInvalid) {
		t.Error("a key that can only verify has signed")
	}
	for what, c := range map[string]Claim{
		"no name":     claim("", 1),
		"token 2^53":  claim("report", MaxToken+1),
		"no audience": {Fence: Fence{"report", 1}, NotAfter: until},
		"no end":      {Fence: Fence{"report", 1}, Audience: "a"},
	} {
		if s, err := ed.Sign(c); !errors.Is(err, ErrInvalid) || s != "" {
			t.Errorf("%s: signed %q, %v", what, s, err)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	for _, a := range algorithms {
		b.Run(string(a), func(b *testing.B) {
			k := key(b, "k1", a)
			c := claim("report", 42)
			s, r := sign(b, k, c), ring(b, c.Audience, k)
			for b.Loop() {
				if _, err := r.Verify(c.Fence, s, until); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestPrintedKeyKeepsItsSecret(t *testing.T) {
	t.Parallel()
	for _, a := range []Algorithm{Ed25519, HMACSHA256} {
		k := key(t, "k1", a)
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			for _, v := range []any{k, &k, []Key{k}, struct{ K Key }{k}} {
				text := fmt.Sprintf(verb, v)
				if !strings.Contains(text, string(a)+" key k1 of prod") || strings.Contains(text, "Secret") {
					t.Errorf("%s of a %T is %s; want the key's name alone", verb, v, text)
				}
			}
		}
	}
}

func BenchmarkSign(b *testing.B) {
	for _, a := range algorithms {
		b.Run(string(a), func(b *testing.B) {
			k := key(b, "k1", a)
			for b.Loop() {
				if _, err := k.Sign(claim("report", 42)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
