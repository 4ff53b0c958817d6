package fence

import (
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// MaxNameBytes is the length of the longest name, in bytes of UTF-8.
const MaxNameBytes = 512

// ErrInvalid marks input that no store and no guard accepts: a bad name, token,
// duration or encoding. Nothing was sent and nothing was changed.
var ErrInvalid = errors.New("invalid")

// CheckName reports why name can't be leased, or nil.
//
// A name is 1 to 512 bytes of valid UTF-8, compared byte for byte: "Job" and
// "job" are two names, and so are the two ways to write "á". Control characters
// and a leading or trailing space are refused, on every store alike, since some
// store or some log would fold them.
func CheckName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("%w name: it is empty; give 1 to %d bytes", ErrInvalid, MaxNameBytes)
	case len(name) > MaxNameBytes:
		return fmt.Errorf("%w name %s: it has %d bytes; the most is %d", ErrInvalid, Quote(name), len(name), MaxNameBytes)
	case !utf8.ValidString(name):
		return fmt.Errorf("%w name %s: it is not valid UTF-8", ErrInvalid, Quote(name))
	}
	for _, r := range name {
		if unicode.IsControl(r) {
			return fmt.Errorf("%w name %s: it has the control character %U", ErrInvalid, Quote(name), r)
		}
	}
	first, _ := utf8.DecodeRuneInString(name)
	last, _ := utf8.DecodeLastRuneInString(name)
	if unicode.IsSpace(first) || unicode.IsSpace(last) {
		return fmt.Errorf("%w name %s: it begins or ends with a space", ErrInvalid, Quote(name))
	}
	return nil
}

// Quote renders untrusted text for an error or a log: escaped, and cut after 64 bytes.
func Quote(s string) string {
	const most = 64
	if len(s) > most {
		return fmt.Sprintf("%+q...", s[:most])
	}
	return fmt.Sprintf("%+q", s)
}
