package fence

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Algorithm is how a key signs.
type Algorithm string

// The algorithms. With Ed25519 a destination holds what verifies and can't sign.
// With HMACSHA256 both sides hold the same secret, for a destination in one domain
// of trust with the authority.
const (
	Ed25519    Algorithm = "ed25519"
	HMACSHA256 Algorithm = "hmac-sha256"
)

// Limits of a signed fence, in bytes.
const (
	// MaxSignatureBytes is the length of the longest signature as text. The fence
	// travels beside it, since a name alone may be longer.
	MaxSignatureBytes = 256
	// MaxLabelBytes bounds the id of a key, the name of an authority and an audience.
	MaxLabelBytes = 48
	// MaxSignedHolderBytes is how much of a holder's label is signed and travels; the
	// rest is cut off.
	MaxSignedHolderBytes = 64
)

// Key is one key of an authority. Secret is there on the side that signs, and on both
// sides of HMACSHA256: keep it as you keep a password. A key that is printed or logged,
// as JSON too, keeps it to itself; [KeySet.Text] is where it is written down.
type Key struct {
	ID        string    `json:"id"`               // names the key in a signature; two keys never share one
	Authority string    `json:"authority"`        // who signs with it
	Algorithm Algorithm `json:"algorithm"`        // Ed25519 or HMACSHA256
	Public    []byte    `json:"public,omitempty"` // Ed25519: 32 bytes
	Secret    []byte    `json:"-"`                // Ed25519: the seed of 32 bytes; HMACSHA256: 32 bytes
}

// String names the key without its secret.
func (k Key) String() string { return fmt.Sprintf("%s key %s of %s", k.Algorithm, k.ID, k.Authority) }

// GoString is String.
func (k Key) GoString() string { return k.String() }

// NewKey makes a key with a random secret.
func NewKey(id, authority string, a Algorithm) (Key, error) {
	k := Key{ID: id, Authority: authority, Algorithm: a, Secret: make([]byte, 32)}
	_, _ = rand.Read(k.Secret) // never fails
	if a == Ed25519 {
		k.Public = ed25519.NewKeyFromSeed(k.Secret).Public().(ed25519.PublicKey)
	}
	return k, k.Check()
}

// Verifier is what a destination needs of k: with Ed25519, k without its secret.
func (k Key) Verifier() Key {
	if k.Algorithm == Ed25519 {
		k.Secret = nil
	}
	return k
}

// Check reports why k can't be used, or nil. It never shows the secret.
func (k Key) Check() error {
	for _, l := range []struct{ what, text string }{{"key id", k.ID}, {"authority", k.Authority}} {
		if err := checkLabel(l.what, l.text); err != nil {
			return err
		}
	}
	switch {
	case k.Algorithm == Ed25519 && len(k.Public) != ed25519.PublicKeySize:
		return fmt.Errorf("%w key %s: its public half has %d bytes; want %d", ErrInvalid, k.ID, len(k.Public), ed25519.PublicKeySize)
	case k.Algorithm == Ed25519 && len(k.Secret) != 0 && len(k.Secret) != ed25519.SeedSize,
		k.Algorithm == HMACSHA256 && len(k.Secret) != sha256.Size:
		return fmt.Errorf("%w key %s: its secret has %d bytes; want 32", ErrInvalid, k.ID, len(k.Secret))
	case k.Algorithm != Ed25519 && k.Algorithm != HMACSHA256:
		return fmt.Errorf("%w key %s: algorithm %s; want %s or %s", ErrInvalid, k.ID, Quote(string(k.Algorithm)), Ed25519, HMACSHA256)
	}
	return nil
}

// Claim is what an authority says of a fence.
type Claim struct {
	Fence    Fence
	Holder   string    // whose term it is, a label for people
	Audience string    // the destination that may take it
	NotAfter time.Time // until when a destination takes it, in whole seconds. It is no lease: the mark fences
}

// Sign vouches for c. The signature goes beside the fence to where it is verified.
func (k Key) Sign(c Claim) (string, error) {
	if err := k.Check(); err != nil {
		return "", err
	}
	if len(k.Secret) == 0 {
		return "", fmt.Errorf("%w key %s: it can only verify; sign with the authority's own copy", ErrInvalid, k.ID)
	}
	if err := c.Fence.Check(); err != nil {
		return "", err
	}
	if err := checkLabel("audience", c.Audience); err != nil {
		return "", err
	}
	s := signature{key: k.ID, until: c.NotAfter.Unix(), holder: cut(c.Holder)}
	if s.until <= 0 {
		return "", fmt.Errorf("%w end of a signature: %s; want a time to come", ErrInvalid, c.NotAfter)
	}
	s.sum = k.sum(s.message(k.Authority, c))
	return s.String(), nil
}

func (k Key) sum(message string) []byte {
	if k.Algorithm == Ed25519 {
		return ed25519.Sign(ed25519.NewKeyFromSeed(k.Secret), []byte(message))
	}
	h := hmac.New(sha256.New, k.Secret)
	h.Write([]byte(message))
	return h.Sum(nil)
}

func (k Key) verifies(message string, sum []byte) bool {
	if k.Algorithm == Ed25519 {
		return ed25519.Verify(k.Public, []byte(message), sum)
	}
	return hmac.Equal(k.sum(message), sum)
}

// signature is what travels beside a fence.
type signature struct {
	key    string
	until  int64 // Unix time, in seconds
	holder string
	sum    []byte
}

const signaturePrefix = "rs1"

var base64url = base64.RawURLEncoding.Strict()

// String renders s as ASCII without spaces: "rs1:", the key's id, the end in seconds
// since 1970, the holder and the sum, the last two in base64url.
func (s signature) String() string {
	return strings.Join([]string{
		signaturePrefix, s.key, strconv.FormatInt(s.until, 10),
		base64url.EncodeToString([]byte(s.holder)), base64url.EncodeToString(s.sum),
	}, ":")
}

func parseSignature(text string) (signature, error) {
	bad := func() (signature, error) {
		return signature{}, fmt.Errorf("%w signature %s: want rs1:KEY:SECONDS:HOLDER:SUM", ErrInvalid, Quote(text))
	}
	parts := strings.Split(text[:min(len(text), MaxSignatureBytes+1)], ":")
	if len(text) > MaxSignatureBytes || len(parts) != 5 || parts[0] != signaturePrefix {
		return bad()
	}
	until, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil {
		return bad()
	}
	holder, err := base64url.DecodeString(parts[3])
	if err != nil {
		return bad()
	}
	sum, err := base64url.DecodeString(parts[4])
	s := signature{parts[1], until, string(holder), sum}
	if err != nil || s.String() != text {
		return bad()
	}
	return s, nil
}

// message is what is signed: one field a line, none of which can hold a line's end.
// A database can put it together from the same texts.
func (s signature) message(authority string, c Claim) string {
	return strings.Join([]string{
		"ringfence signature 1", s.key, authority, c.Fence.String(),
		base64url.EncodeToString([]byte(s.holder)), c.Audience, strconv.FormatInt(s.until, 10),
	}, "\n")
}

// cut shortens a label to what is signed of it, by whole characters.
func cut(holder string) string {
	if len(holder) <= MaxSignedHolderBytes {
		return holder
	}
	end := MaxSignedHolderBytes
	for !utf8.RuneStart(holder[end]) {
		end--
	}
	return holder[:end]
}

func checkLabel(what, text string) error {
	plain := !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || r == ':' })
	if text == "" || len(text) > MaxLabelBytes || !plain {
		return fmt.Errorf("%w %s %s: want 1 to %d bytes of printable ASCII without spaces and colons", ErrInvalid, what, Quote(text), MaxLabelBytes)
	}
	return nil
}
