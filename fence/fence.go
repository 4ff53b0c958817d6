package fence

import (
	"fmt"
	"net/url"
	"strings"
)

// Fence is what travels with every write of a term: the leased name and the
// token of the grant. The zero Fence is no fence; every guard refuses it.
type Fence struct {
	Name  string
	Token Token
}

// Check reports why f can't be the fence of a grant, or nil.
func (f Fence) Check() error {
	if !f.Token.Valid() {
		return fmt.Errorf("%w token %d: want 1 to %d", ErrInvalid, int64(f.Token), MaxToken)
	}
	return CheckName(f.Name)
}

const prefix = "rf1:"

// String renders f as ASCII text that survives an environment variable, an HTTP
// header and a log line: "rf1:", the token, ":", and the name percent-encoded.
func (f Fence) String() string {
	return prefix + f.Token.String() + ":" + url.PathEscape(f.Name)
}

// Parse reads what [Fence.String] writes, in that one spelling.
func Parse(s string) (Fence, error) {
	bad := func() (Fence, error) {
		return Fence{}, fmt.Errorf("%w fence %s: want %sTOKEN:NAME, the name percent-encoded", ErrInvalid, Quote(s), prefix)
	}
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok {
		return bad()
	}
	number, escaped, ok := strings.Cut(rest, ":")
	if !ok {
		return bad()
	}
	token, err := ParseToken(number)
	if err != nil {
		return Fence{}, err
	}
	name, err := url.PathUnescape(escaped)
	if err != nil {
		return bad()
	}
	f := Fence{Name: name, Token: token}
	if err := f.Check(); err != nil {
		return Fence{}, err
	}
	if f.String() != s {
		return bad()
	}
	return f, nil
}

// MarshalText is [Fence.String].
func (f Fence) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText is [Parse].
func (f *Fence) UnmarshalText(b []byte) error {
	parsed, err := Parse(string(b))
	if err != nil {
		return err
	}
	*f = parsed
	return nil
}
