package fence

import (
	"fmt"
	"strconv"
	"time"
)

// Token is the number of one grant. For one name it only ever rises, across
// release, expiry, clean-up, restart, fail-over and restore.
//
// It lies between 1 and [MaxToken], because Lua and JavaScript lose precision
// above that, and is a decimal string on every wire. The zero Token is no token.
type Token int64

// MaxToken is the highest token: 2^53 - 1.
const MaxToken Token = 1<<53 - 1

// Valid reports whether t can have been granted.
func (t Token) Valid() bool { return t >= 1 && t <= MaxToken }

// String renders t as a decimal number.
func (t Token) String() string { return strconv.FormatInt(int64(t), 10) }

// ParseToken reads a token in its one spelling: decimal digits without sign,
// space, leading zero, fraction or exponent. Anything else is [ErrInvalid]; it
// is never read as zero.
func ParseToken(s string) (Token, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if t := Token(n); err == nil && t.Valid() && t.String() == s {
		return t, nil
	}
	return 0, fmt.Errorf("%w token %s: want decimal digits, 1 to %d", ErrInvalid, Quote(s), MaxToken)
}

// MarshalText renders t as a decimal string, also in JSON; the zero Token is "0".
func (t Token) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText is [ParseToken].
func (t *Token) UnmarshalText(b []byte) error {
	parsed, err := ParseToken(string(b))
	if err != nil {
		return err
	}
	*t = parsed
	return nil
}

// Epoch is where ticks are counted from.
var Epoch = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// EpochUnixMilli is [Epoch] in milliseconds since 1970, for statements and
// scripts that compute a tick inside a store.
const EpochUnixMilli = 1704067200000

// TokensPerTick is how many tokens fit into one tick of a millisecond.
const TokensPerTick = 1 << 12

// Tick is a store's clock as a number: milliseconds since [Epoch].
type Tick int64

// TickOf is the tick that t lies in.
func TickOf(t time.Time) Tick { return Tick(t.UnixMilli() - EpochUnixMilli) }

// First is the lowest token of the tick.
func (k Tick) First() Token { return Token(k) * TokensPerTick }

// Tick is the tick that lends t its floor. While no counter has run ahead of its
// clock, that is the millisecond of the grant.
func (t Token) Tick() Tick { return Tick(t / TokensPerTick) }

// Time is the start of the tick of t, for people to read beside the number.
// Nothing is ever decided by it.
func (t Token) Time() time.Time { return Epoch.Add(time.Duration(t.Tick()) * time.Millisecond) }

// Next is the token of a new grant, the rule that every store with a clock
// follows inside its own atomic step:
//
//	max(last + 1, floor + 1, tick * 2^12)
//
// last is the highest token this name is known to have had, floor the number at
// or below which this store grants nothing; both are 0 where there is none. What
// orders two grants is always last + 1: the clock decides nothing while nothing
// is lost. It lends a floor that lies outside of whatever can be lost.
func Next(last, floor Token, now Tick) Token { return max(last+1, floor+1, now.First()) }

// FutureLimit is the highest token that a guard accepts at now: one that an
// authority a day ahead of the guard's clock could issue. A higher one is
// invented, and would poison a mark for good.
func FutureLimit(now Tick) Token {
	const day = Tick(24 * time.Hour / time.Millisecond)
	return min((now + day).First(), MaxToken)
}
