package keys

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ringfence-go/ringfence/fence"
)

// State is what a key of a set is for.
type State string

// The states, in the order in which a key goes through them. Destinations that have
// the set take what a key in any of them has signed.
const (
	Next     State = "next"     // signs after the next rotation
	Signing  State = "signing"  // signs
	Previous State = "previous" // has signed before
)

// StateOf is the state of the i-th key of s.
func StateOf(s fence.KeySet, i int) State {
	switch signing := index(s, s.Signing); {
	case i == signing:
		return Signing
	case i > signing && signing >= 0:
		return Next
	}
	return Previous
}

func index(s fence.KeySet, id string) int {
	return slices.IndexFunc(s.Keys, func(k fence.Key) bool { return k.ID == id })
}

// New is a set of one new key, which signs.
func New(authority string, a fence.Algorithm, now time.Time) (fence.KeySet, error) {
	k, err := newKey(authority, a, now)
	if err != nil {
		return fence.KeySet{}, err
	}
	return fence.KeySet{Signing: k.ID, Keys: []fence.Key{k}}, nil
}

// newKey makes a key whose id begins with the day.
func newKey(authority string, a fence.Algorithm, now time.Time) (fence.Key, error) {
	id := now.UTC().Format(time.DateOnly) + "-" + strings.ToLower(rand.Text()[:8])
	return fence.NewKey(id, authority, a)
}

// Prepare adds the next key to s. It signs nothing before [Rotate], so that every
// destination can have it by then. An empty a is the algorithm of the key that signs.
func Prepare(s fence.KeySet, a fence.Algorithm, now time.Time) (fence.KeySet, error) {
	signer, err := s.Signer()
	if err != nil {
		return s, err
	}
	if last := len(s.Keys) - 1; StateOf(s, last) == Next {
		return s, fmt.Errorf("%w preparation: %s is the next key already; have it sign by a rotation, or revoke it", fence.ErrInvalid, s.Keys[last].ID)
	}
	if a == "" {
		a = signer.Algorithm
	}
	k, err := newKey(signer.Authority, a, now)
	if err != nil {
		return s, err
	}
	s.Keys = append(slices.Clone(s.Keys), k)
	return s, nil
}

// Rotate has the next key sign, or a new one where none was prepared. Those before it
// still verify, and lose what they could sign with.
func Rotate(s fence.KeySet, a fence.Algorithm, now time.Time) (fence.KeySet, error) {
	if last := len(s.Keys) - 1; last < 0 || StateOf(s, last) != Next {
		var err error
		if s, err = Prepare(s, a, now); err != nil {
			return s, err
		}
	} else if a != "" && a != s.Keys[last].Algorithm {
		return s, fmt.Errorf("%w algorithm %s: the next key, %s, is of %s; revoke it first", fence.ErrInvalid, a, s.Keys[last].ID, s.Keys[last].Algorithm)
	}
	next := s.Keys[len(s.Keys)-1]
	s.Keys = s.Verifiers().Keys
	s.Keys[len(s.Keys)-1], s.Signing = next, next.ID
	return s, nil
}

// Revoke takes a key away. The one that signs stays: a set without it is of no use.
func Revoke(s fence.KeySet, id string) (fence.KeySet, error) {
	switch i := index(s, id); {
	case i < 0:
		return s, fmt.Errorf("%w key %s: the file has none of this id", fence.ErrInvalid, fence.Quote(id))
	case len(s.Keys) == 1:
		return s, fmt.Errorf("%w revocation: %s is the only key; rotate first, or delete the file and what was exported of it", fence.ErrInvalid, id)
	case id == s.Signing:
		return s, fmt.Errorf("%w revocation: %s signs; rotate first", fence.ErrInvalid, id)
	default:
		s.Keys = slices.Delete(slices.Clone(s.Keys), i, i+1)
		return s, nil
	}
}
