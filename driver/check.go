package driver

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ringfence-go/ringfence/fence"
)

// Check reports why a store with properties p must refuse r before anything is
// sent, or nil. Every store calls it first in Acquire.
func (r Request) Check(p Properties) error {
	if err := fence.CheckName(r.Name); err != nil {
		return err
	}
	if err := checkAttempt(r.Attempt); err != nil {
		return err
	}
	if err := CheckHolder(r.Holder); err != nil {
		return err
	}
	return p.CheckTTL(r.TTL)
}

// Check reports why t can't be a granted term, or nil. Every store calls it
// first in Renew and Release.
func (t Term) Check() error {
	if err := t.Fence.Check(); err != nil {
		return err
	}
	return checkAttempt(t.Attempt)
}

// CheckTTL reports why a store with these properties can't honour ttl, or nil.
func (p Properties) CheckTTL(ttl time.Duration) error {
	if ttl < p.MinTTL || ttl > MaxTTL {
		return fmt.Errorf("%w lease of %s: %s grants %s to %s", fence.ErrInvalid, ttl, p.Store, p.MinTTL, MaxTTL)
	}
	return nil
}

// RoundTTL rounds ttl up to the store's resolution, so that no lease is shorter
// than what was asked for.
func (p Properties) RoundTTL(ttl time.Duration) time.Duration {
	if over := ttl % p.Resolution; over != 0 {
		ttl += p.Resolution - over
	}
	return ttl
}

// CheckHolder reports why a label can't be stored, or nil.
func CheckHolder(label string) error {
	if len(label) > MaxHolderBytes || !utf8.ValidString(label) || strings.ContainsFunc(label, unicode.IsControl) {
		return fmt.Errorf("%w holder %s: want at most %d bytes of UTF-8 without control characters",
			fence.ErrInvalid, fence.Quote(label), MaxHolderBytes)
	}
	return nil
}

func checkAttempt(id string) error {
	printable := !strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' })
	if id == "" || len(id) > MaxAttemptBytes || !printable {
		return fmt.Errorf("%w attempt id: want 1 to %d bytes of printable ASCII", fence.ErrInvalid, MaxAttemptBytes)
	}
	return nil
}
