package httpguard

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// The headers. A proxy may not add, change or repeat them.
const (
	FenceHeader     = "Ringfence-Fence"     // rf1:TOKEN:NAME, as fence.Fence renders it
	SignatureHeader = "Ringfence-Signature" // as fence.Key.Sign renders it
	SeqHeader       = "Ringfence-Seq"       // decimal, for the rule Sequenced
	KeyHeader       = "Ringfence-Key"       // the idempotency key, percent-encoded
	AsOfHeader      = "Ringfence-As-Of"     // the time of the inputs, in milliseconds since 1970
	VerdictHeader   = "Ringfence-Verdict"   // of an answer: the outcome, or the cause of a refusal
)

// put writes w into h.
func put(h http.Header, w guard.Write, signature string) {
	h.Set(FenceHeader, w.Fence.String())
	for name, value := range map[string]string{
		SignatureHeader: signature, KeyHeader: url.PathEscape(w.Key), SeqHeader: seq(w.Seq), AsOfHeader: asOf(w.AsOf),
	} {
		h.Del(name)
		if value != "" {
			h.Set(name, value)
		}
	}
}

func seq(n uint64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatUint(n, 10)
}

func parseSeq(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n == 0 || n > guard.MaxSeq || seq(n) != text {
		return 0, fmt.Errorf("%w header %s: %s; want decimal digits, 1 to %d", fence.ErrInvalid, SeqHeader, fence.Quote(text), uint64(guard.MaxSeq))
	}
	return n, nil
}

func asOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return strconv.FormatInt(t.UnixMilli(), 10)
}

func parseAsOf(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	if t := time.UnixMilli(ms).UTC(); err == nil && ms > 0 && ms <= guard.MaxSeq && asOf(t) == text {
		return t, nil
	}
	return time.Time{}, fmt.Errorf("%w header %s: %s; want milliseconds since 1970 in decimal digits", fence.ErrInvalid, AsOfHeader, fence.Quote(text))
}

// one is the value of a header that may be there once.
func one(h http.Header, name string) (string, error) {
	values := h.Values(name)
	if len(values) > 1 {
		return "", fmt.Errorf("%w header %s: it is there %d times; want it once", fence.ErrInvalid, name, len(values))
	}
	return h.Get(name), nil
}

// read reads the write that r carries, as far as door lets it pass: the error is a
// *fence.RefusedError.
func read(door guard.Door, r *http.Request) (guard.Write, error) {
	var w guard.Write
	refuse := func(err error) (guard.Write, error) {
		return guard.Write{}, door.Refuse(r.URL.Path, w.Fence, fence.Invalid, err)
	}
	var text [5]string
	for i, name := range []string{FenceHeader, SignatureHeader, SeqHeader, KeyHeader, AsOfHeader} {
		var err error
		if text[i], err = one(r.Header, name); err != nil {
			return refuse(err)
		}
	}
	if text[0] == "" {
		return refuse(fmt.Errorf("%w request: send the header %s, as httpguard.Transport does", fence.ErrInvalid, FenceHeader))
	}
	f, err := door.Pass(r.URL.Path, text[0], text[1])
	if err != nil {
		return guard.Write{}, err
	}
	w.Fence = f
	if w.Seq, err = parseSeq(text[2]); err != nil {
		return refuse(err)
	}
	if w.AsOf, err = parseAsOf(text[4]); err != nil {
		return refuse(err)
	}
	if w.Key, err = url.PathUnescape(text[3]); err != nil || len(w.Key) > guard.MaxKeyBytes {
		return refuse(fmt.Errorf("%w header %s: want at most %d bytes, percent-encoded", fence.ErrInvalid, KeyHeader, guard.MaxKeyBytes))
	}
	return w, nil
}
