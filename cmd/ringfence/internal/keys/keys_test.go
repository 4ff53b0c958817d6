//go:build linux || darwin

package keys

import (
	"errors"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func newSet(t testing.TB) fence.KeySet {
	t.Helper()
	s, err := New("prod", fence.Ed25519, noon)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func states(s fence.KeySet) (all []State) {
	for i := range s.Keys {
		all = append(all, StateOf(s, i))
	}
	return all
}

func wantStates(t *testing.T, s fence.KeySet, err error, want ...State) {
	t.Helper()
	got := states(s)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%v, %v; want %v", got, err, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%v; want %v", got, want)
		}
	}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
}

// TestRotation is the one of docs/guards/signed.md: no destination ever refuses what
// the authority signs, if it has each export before the next step.
func TestRotation(t *testing.T) {
	t.Parallel()
	s := newSet(t)
	first := s.Signing
	wantStates(t, s, nil, Signing)
	s, err := Prepare(s, "", noon)
	wantStates(t, s, err, Signing, Next)
	if s.Signing != first {
		t.Errorf("%s signs before the rotation", s.Signing)
	}
	if _, err := Prepare(s, "", noon); !errors.Is(err, fence.ErrInvalid) {
		t.Errorf("a second next key: %v", err)
	}
	s, err = Rotate(s, "", noon)
	wantStates(t, s, err, Previous, Signing)
	if s.Keys[0].Secret != nil {
		t.Error("the key before could still sign")
	}
	s, err = Revoke(s, first)
	wantStates(t, s, err, Signing)
	if _, err := s.Signer(); err != nil {
		t.Error(err)
	}
	if s.Keys[0].Authority != "prod" || s.Keys[0].Algorithm != fence.Ed25519 {
		t.Errorf("the new key is %v", s.Keys[0])
	}
}

func TestRotationAtOnce(t *testing.T) {
	t.Parallel()
	s, err := Rotate(newSet(t), fence.HMACSHA256, noon)
	wantStates(t, s, err, Previous, Signing)
	if s.Keys[1].Algorithm != fence.HMACSHA256 {
		t.Errorf("the new key is %v", s.Keys[1])
	}
	s, err = Rotate(s, "", noon)
	wantStates(t, s, err, Previous, Previous, Signing)
	s, err = Prepare(s, fence.Ed25519, noon)
	wantStates(t, s, err, Previous, Previous, Signing, Next)
	if _, err := Rotate(s, fence.HMACSHA256, noon); !errors.Is(err, fence.ErrInvalid) {
		t.Errorf("the next key is of another algorithm: %v", err)
	}
	s, err = Revoke(s, s.Keys[3].ID)
	wantStates(t, s, err, Previous, Previous, Signing)
}

func TestSigningKeyIsNotRevoked(t *testing.T) {
	t.Parallel()
	s := newSet(t)
	two, err := Rotate(s, "", noon)
	wantStates(t, two, err, Previous, Signing)
	for what, c := range map[string]struct {
		set fence.KeySet
		id  string
	}{"the last key": {s, s.Signing}, "the key that signs": {two, two.Signing}, "no key": {two, "2026-11-29-x"}, "no id": {two, ""}} {
		if got, err := Revoke(c.set, c.id); !errors.Is(err, fence.ErrInvalid) || len(got.Keys) != len(c.set.Keys) {
			t.Errorf("%s: %v, %v", what, states(got), err)
		}
	}
}

func TestKeysOfNoAuthority(t *testing.T) {
	t.Parallel()
	for _, authority := range []string{"", "a b", "a:b"} {
		if _, err := New(authority, fence.Ed25519, noon); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("%q: %v", authority, err)
		}
	}
	if _, err := New("prod", "none", noon); !errors.Is(err, fence.ErrInvalid) {
		t.Errorf("no algorithm: %v", err)
	}
}
