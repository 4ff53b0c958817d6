package guard

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ringfence-go/ringfence/fence"
)

// Reset says why a resource moves to a new incarnation: its mark is too high to be
// true, since somebody invented a number. A mark is never lowered in place. The old one
// stays in the record of [Incarnation] and counts no more, and nothing is admitted until
// a new term has established itself.
type Reset struct {
	// Reason is for whoever reads the record, 1 to 1,024 bytes. Required.
	Reason string `json:"reason"`
	// By is who decided it, 1 to 256 bytes. Required.
	By string `json:"by"`
	// Above is a token that no term of the new incarnation may be at or below: the last
	// one that the authority issued, as far as that is known. Without it a holder from
	// before can establish itself again, if it does so before a newer one has.
	// Defaults to 0, which bars nobody.
	Above fence.Token `json:"above,omitzero"`
}

// Check reports why r can't be carried out, or nil.
func (r Reset) Check() error {
	for _, f := range []struct {
		what, text string
		most       int
	}{{"reason", r.Reason, 1024}, {"name of who decides it", r.By, 256}} {
		if f.text == "" || len(f.text) > f.most || !utf8.ValidString(f.text) || strings.ContainsRune(f.text, 0) {
			return fmt.Errorf("%w %s of a reset %s: want 1 to %d bytes of UTF-8", fence.ErrInvalid, f.what, fence.Quote(f.text), f.most)
		}
	}
	if r.Above < 0 || r.Above >= fence.MaxToken {
		return fmt.Errorf("%w token %s to reset above: want 0 to %d", fence.ErrInvalid, r.Above, fence.MaxToken-1)
	}
	return nil
}

// Incarnation is one that a [Reset] has ended, as it was left.
type Incarnation struct {
	Resource string      `json:"resource"` // of guarded tables it is the lease
	Lease    string      `json:"lease"`
	Number   int64       `json:"incarnation"` // from 1
	Token    fence.Token `json:"token"`       // its mark
	Seq      uint64      `json:"seq,omitzero"`
	Reset
	Role string    `json:"role"` // as whom the database knew the one who did it
	At   time.Time `json:"at"`
}

// HighMark is a mark above a token that was asked about.
type HighMark struct {
	Resource string      `json:"resource"` // of guarded tables it is the lease
	Lease    string      `json:"lease"`
	Token    fence.Token `json:"token"`
	At       time.Time   `json:"at"`
}
