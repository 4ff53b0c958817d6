package guard

import (
	"fmt"
	"strings"
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
	return w.checkKey(r)
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
