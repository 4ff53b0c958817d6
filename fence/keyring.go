package fence

import (
	"fmt"
	"time"
)

// Keyring is what a destination trusts: the keys of its authorities. While a key is
// rotated it holds the old and the new one. It doesn't change; make another one to
// add or to take away a key. The zero Keyring trusts nobody.
type Keyring struct {
	audience string
	keys     map[string]Key
}

// NewKeyring makes the keyring of the destination that signatures call audience.
func NewKeyring(audience string, keys ...Key) (*Keyring, error) {
	if err := checkLabel("audience", audience); err != nil {
		return nil, err
	}
	r := &Keyring{audience, make(map[string]Key, len(keys))}
	for _, k := range keys {
		if err := k.Check(); err != nil {
			return nil, err
		}
		if _, twice := r.keys[k.ID]; twice {
			return nil, fmt.Errorf("%w keyring: two keys have the id %s", ErrInvalid, k.ID)
		}
		r.keys[k.ID] = k.Verifier()
	}
	return r, nil
}

// Verify reads a signature that came with f, and returns what the authority says
// when one of the ring's keys has signed just that: this name, this token, this
// audience, and an end that is not before now. Everything else is [ErrInvalid].
//
// A guard verifies before it looks at a mark. The clock is the destination's own; it
// only bounds how long a stolen signature is of use. What makes a stale fence
// harmless is the mark.
func (r *Keyring) Verify(f Fence, signed string, now time.Time) (Claim, error) {
	if err := f.Check(); err != nil {
		return Claim{}, err
	}
	s, err := parseSignature(signed)
	if err != nil {
		return Claim{}, err
	}
	k, known := r.keys[s.key]
	if !known {
		return Claim{}, fmt.Errorf("%w signature of %s with token %s: nobody here trusts its key %s", ErrInvalid, Quote(f.Name), f.Token, Quote(s.key))
	}
	c := Claim{Fence: f, Holder: s.holder, Audience: r.audience, NotAfter: time.Unix(s.until, 0).UTC()}
	if !k.verifies(s.message(k.Authority, c), s.sum) {
		return Claim{}, fmt.Errorf("%w signature of %s with token %s: key %s has not signed this name and token for %s",
			ErrInvalid, Quote(f.Name), f.Token, k.ID, r.audience)
	}
	if now.After(c.NotAfter) {
		return Claim{}, fmt.Errorf("%w signature of %s with token %s: it was good until %s",
			ErrInvalid, Quote(f.Name), f.Token, c.NotAfter.Format(time.RFC3339))
	}
	return c, nil
}
