package fence

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func keySet(t testing.TB) KeySet {
	t.Helper()
	return KeySet{Signing: "mac", Keys: []Key{key(t, "old", Ed25519), key(t, "mac", HMACSHA256)}}
}

func TestKeySetRoundTrips(t *testing.T) {
	t.Parallel()
	s := keySet(t)
	for _, want := range []KeySet{s, s.Verifiers(), {Keys: s.Keys[:1]}} {
		got, err := ParseKeySet(want.Text())
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v", want.Text(), got, err)
		}
	}
}

// TestVerifiersCanNotSign is about what a destination gets: it may read everything in
// there, and must not be able to sign with it.
func TestVerifiersCanNotSign(t *testing.T) {
	t.Parallel()
	s := keySet(t)
	s.Signing = "old"
	signer, err := s.Signer()
	if err != nil {
		t.Fatal(err)
	}
	v, err := ParseKeySet(s.Verifiers().Text())
	if err != nil {
		t.Fatal(err)
	}
	if text := string(v.Text()); strings.Contains(text, base64.StdEncoding.EncodeToString(signer.Secret)) {
		t.Error("the secret of an Ed25519 key is handed out")
	}
	if k, err := v.Signer(); !errors.Is(err, ErrInvalid) || k.ID != "" {
		t.Errorf("signs with %v, %v", k, err)
	}
	ring, err := v.Keyring("reports-db")
	if err != nil {
		t.Fatal(err)
	}
	c := claim("report", 7)
	if _, err := ring.Verify(c.Fence, sign(t, signer, c), until); err != nil {
		t.Error(err)
	}
}

func TestBadKeySets(t *testing.T) {
	t.Parallel()
	s := keySet(t)
	secret := base64.StdEncoding.EncodeToString(s.Keys[0].Secret)
	other := base64.StdEncoding.EncodeToString(s.Keys[1].Secret)
	good := string(s.Text())
	public := base64.StdEncoding.EncodeToString(s.Keys[0].Public)
	for what, text := range map[string]string{
		"nothing":                     "",
		"half of it":                  good[:len(good)/2],
		"two of them":                 good + good,
		"no object":                   `[]`,
		"no version":                  `{"keys":[]}`,
		"another version":             strings.Replace(good, `"version": 1`, `"version": 2`, 1),
		"no key":                      `{"version":1,"keys":[]}`,
		"a signer that isn't there":   strings.Replace(good, `"signing": "mac"`, `"signing": "new"`, 1),
		"a signer that only verifies": `{"version":1,"signing":"a","keys":[{"id":"a","authority":"b","algorithm":"ed25519","public":"` + public + `"}]}`,
		"one id for two keys":         strings.ReplaceAll(good, `"mac"`, `"old"`),
		"an unknown algorithm":        strings.Replace(good, string(HMACSHA256), "none", 1),
		"another key's secret":        strings.Replace(good, secret, other, 1),
		"a short secret":              strings.Replace(good, secret, secret[:40]+"AA==", 1),
		"no base64":                   strings.Replace(good, secret, "!"+secret, 1),
		"a bad id":                    strings.Replace(good, `"id": "old"`, `"id": "a b"`, 1),
	} {
		_, err := ParseKeySet([]byte(text))
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		} else if len(err.Error()) > 300 || strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), other) {
			t.Errorf("%s: says %q", what, err)
		}
	}
	if _, err := (KeySet{}).Keyring("reports-db"); !errors.Is(err, ErrInvalid) {
		t.Errorf("a keyring of no key: %v", err)
	}
}

// TestLoggedKeyKeepsItsSecret is about those who log a key, or what holds one, as JSON.
func TestLoggedKeyKeepsItsSecret(t *testing.T) {
	t.Parallel()
	s := keySet(t)
	for _, v := range []any{s, s.Keys, s.Keys[0], &s.Keys[1], map[string]any{"k": s.Keys[1]}} {
		text, err := json.Marshal(v)
		if err != nil || !bytes.Contains(text, []byte(`"id":`)) {
			t.Fatalf("%s, %v", text, err)
		}
		for _, k := range s.Keys {
			if strings.Contains(string(text), base64.StdEncoding.EncodeToString(k.Secret)) {
				t.Errorf("the secret of %s is in the JSON of a %T", k.ID, v)
			}
		}
	}
}

func FuzzParseKeySet(f *testing.F) {
	f.Add(keySet(f).Text())
	f.Add([]byte(`{"version":1,"keys":[{"id":"a","authority":"b","algorithm":"hmac-sha256","secret":""}]}`))
	f.Add([]byte(`{"version":1,"signing":"a","keys":[{"id":"a","authority":"b","algorithm":"ed25519","public":"AA==","secret":""}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ParseKeySet(text)
		if err != nil {
			return
		}
		if again, err := ParseKeySet(s.Text()); err != nil || !reflect.DeepEqual(again, s) {
			t.Errorf("%v was read, and after it was written %v, %v", s, again, err)
		}
		if _, err := s.Keyring("a"); err != nil {
			t.Errorf("%v has no keyring: %v", s, err)
		}
	})
}
