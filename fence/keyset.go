package fence

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"slices"
)

// KeySet is keys as they are kept: all that verify, and the one of them that signs.
// `ringfence keys` keeps the set of an authority in a file; a destination gets its
// [KeySet.Verifiers]. A set may hold keys of several authorities.
type KeySet struct {
	Signing string // the id of the key that signs; empty where the set only verifies
	Keys    []Key  // in the order in which they were made
}

// keySetVersion is that of the text form.
const keySetVersion = 1

type keySetText struct {
	Version int       `json:"version"`
	Signing string    `json:"signing,omitempty"`
	Keys    []keyText `json:"keys"`
}

// keyText is a key with its secret, which a Key alone keeps to itself.
type keyText struct {
	Key
	Secret []byte `json:"secret,omitempty"`
}

// ParseKeySet reads what [KeySet.Text] writes. Its errors show no secret.
func ParseKeySet(text []byte) (KeySet, error) {
	var t keySetText
	if err := json.Unmarshal(text, &t); err != nil {
		return KeySet{}, fmt.Errorf("%w key set: it is not one that `ringfence keys` has written: %w", ErrInvalid, err)
	}
	if t.Version != keySetVersion {
		return KeySet{}, fmt.Errorf("%w key set: version %d; want %d", ErrInvalid, t.Version, keySetVersion)
	}
	s := KeySet{Signing: t.Signing}
	for _, k := range t.Keys {
		if len(k.Secret) > 0 {
			k.Key.Secret = k.Secret
		}
		s.Keys = append(s.Keys, k.Key)
	}
	if err := s.Check(); err != nil {
		return KeySet{}, err
	}
	return s, nil
}

// Text renders s as JSON, secrets included: keep it as you keep a password. That of
// [KeySet.Verifiers] holds none, but for keys of HMACSHA256.
func (s KeySet) Text() []byte {
	t := keySetText{Version: keySetVersion, Signing: s.Signing, Keys: []keyText{}}
	for _, k := range s.Keys {
		t.Keys = append(t.Keys, keyText{k, k.Secret})
	}
	text, _ := json.MarshalIndent(t, "", "  ") // strings and bytes alone: never fails
	return append(text, '\n')
}

// Check reports why s can't be used, or nil.
func (s KeySet) Check() error {
	if len(s.Keys) == 0 {
		return fmt.Errorf("%w key set: it holds no key", ErrInvalid)
	}
	seen := make(map[string]bool, len(s.Keys))
	for _, k := range s.Keys {
		if err := k.Check(); err != nil {
			return err
		}
		if seen[k.ID] {
			return fmt.Errorf("%w key set: two keys have the id %s", ErrInvalid, k.ID)
		}
		seen[k.ID] = true
		if k.Algorithm == Ed25519 && len(k.Secret) > 0 && !bytes.Equal(k.Public, ed25519.NewKeyFromSeed(k.Secret)[ed25519.SeedSize:]) {
			return fmt.Errorf("%w key %s: its secret is that of another key", ErrInvalid, k.ID)
		}
	}
	if s.Signing == "" {
		return nil
	}
	_, err := s.Signer()
	return err
}

// Signer is the key that signs.
func (s KeySet) Signer() (Key, error) {
	i := slices.IndexFunc(s.Keys, func(k Key) bool { return k.ID == s.Signing })
	switch {
	case s.Signing == "":
		return Key{}, fmt.Errorf("%w key set: it can only verify; sign with the authority's own", ErrInvalid)
	case i < 0 || len(s.Keys[i].Secret) == 0:
		return Key{}, fmt.Errorf("%w key set: it lacks the secret of %s, which is to sign", ErrInvalid, Quote(s.Signing))
	}
	return s.Keys[i], nil
}

// Verifiers is what a destination needs of s: nothing that signs, but for keys of
// HMACSHA256, where both sides hold the secret.
func (s KeySet) Verifiers() KeySet {
	var v KeySet
	for _, k := range s.Keys {
		v.Keys = append(v.Keys, k.Verifier())
	}
	return v
}

// Keyring makes the keyring of the destination that signatures call audience.
func (s KeySet) Keyring(audience string) (*Keyring, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	return NewKeyring(audience, s.Keys...)
}
