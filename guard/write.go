package guard

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ringfence-go/ringfence/fence"
)

// MaxKeyBytes is the length of the longest idempotency key. MaxSeq is the
// highest number in a sequence: 2^53 - 1, as for a token.
const (
	MaxKeyBytes = 256
	MaxSeq      = 1<<53 - 1
)

// Write is what a guarded write carries besides its data.
type Write struct {
	Fence fence.Fence
	// Seq is the place of the write in its term: 1, 2, 3, ... without a gap.
	// Required by Sequenced; 0 under the other rules.
	Seq uint64
	// Key tells a repeated write from another one: made once for a write, kept
	// over every retry, 1 to 256 bytes of UTF-8 without NUL. Required by Once and
	// Sequenced, since without it two different writes look like one. Latest does
	// not look at it.
	Key string
	// AsOf is the time of the oldest input that the data was computed from, on the
	// resource's own clock: read the clock before the first input. Required where the
	// resource limits the age of inputs; no other looks at it. It is no part of what
	// tells a repeated write from another one.
	AsOf time.Time
}

// Check reports why no resource under rule r admits w, or nil.
func (w Write) Check(r Rule) error {
	if err := r.Check(); err != nil {
		return err
	}
	if err := w.Fence.Check(); err != nil {
		return err
	}
	switch sequenced := r == Sequenced; {
	case sequenced && (w.Seq < 1 || w.Seq > MaxSeq):
		return fmt.Errorf("%w seq %d: want 1 to %d", fence.ErrInvalid, w.Seq, uint64(MaxSeq))
	case !sequenced && w.Seq != 0:
		return fmt.Errorf("%w seq %d: the rule %s has no sequence; leave it 0", fence.ErrInvalid, w.Seq, r)
	}
	if err := w.checkAsOf(); err != nil {
		return err
	}
	return w.checkKey(r)
}

// checkAsOf bounds a time so that every resource counts its milliseconds exactly.
func (w Write) checkAsOf() error {
	at := w.AsOf.UTC()
	if year := at.Year(); !at.IsZero() && (year < 1970 || year > 9999 || at.UnixMilli() == 0) {
		return fmt.Errorf("%w time of inputs %s: want one after 1970 and before 10000", fence.ErrInvalid, w.AsOf)
	}
	return nil
}

func (w Write) checkKey(r Rule) error {
	switch {
	case w.Key == "" && r != Latest:
		return fmt.Errorf("%w key: it is empty; the rule %s needs one to tell a repeated write from another", fence.ErrInvalid, r)
	case len(w.Key) > MaxKeyBytes || !utf8.ValidString(w.Key) || strings.ContainsRune(w.Key, 0):
		return fmt.Errorf("%w key %s: want at most %d bytes of UTF-8 without NUL", fence.ErrInvalid, fence.Quote(w.Key), MaxKeyBytes)
	}
	return nil
}

// CheckResource reports why a resource can't have this name, or nil. The rules
// are those of a lease's name; the two are often the same text.
func CheckResource(name string) error {
	if err := fence.CheckName(name); err != nil {
		return fmt.Errorf("resource: %w", err)
	}
	return nil
}
