package httpguard

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// The headers. A proxy may not add, change or repeat them.
const (
	FenceHeader     = "Ringfence-Fence"     // rf1:TOKEN:NAME, as fence.Fence renders it
	SignatureHeader = "Ringfence-Signature" // as fence.Key.Sign renders it
	SeqHeader       = "Ringfence-Seq"       // decimal, for the rule Sequenced
	KeyHeader       = "Ringfence-Key"       // the idempotency key, percent-encoded
	VerdictHeader   = "Ringfence-Verdict"   // of an answer: the outcome, or the cause of a refusal
)

// put writes w into h.
func put(h http.Header, w guard.Write, signature string) {
	h.Set(FenceHeader, w.Fence.String())
	for name, value := range map[string]string{SignatureHeader: signature, KeyHeader: url.PathEscape(w.Key), SeqHeader: seq(w.Seq)} {
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

// one is the value of a header that may be there once.
func one(h http.Header, name string) (string, error) {
	values := h.Values(name)
	if len(values) > 1 {
		return "", fmt.Errorf("%w header %s: it is there %d times; want it once", fence.ErrInvalid, name, len(values))
	}
	return h.Get(name), nil
}

// read reads the write that h carries, and its signature.
func read(h http.Header) (w guard.Write, signature string, err error) {
	var text [4]string
	for i, name := range []string{FenceHeader, SignatureHeader, SeqHeader, KeyHeader} {
		if text[i], err = one(h, name); err != nil {
			return guard.Write{}, "", err
		}
	}
	if text[0] == "" {
		return guard.Write{}, "", fmt.Errorf("%w request: it carries no fence; send the header %s, as httpguard.Transport does", fence.ErrInvalid, FenceHeader)
	}
	if w.Fence, err = fence.Parse(text[0]); err != nil {
		return guard.Write{}, "", fmt.Errorf("header %s: %w", FenceHeader, err)
	}
	if text[2] != "" {
		if w.Seq, err = strconv.ParseUint(text[2], 10, 64); err != nil || w.Seq == 0 || w.Seq > guard.MaxSeq || seq(w.Seq) != text[2] {
			return guard.Write{}, "", fmt.Errorf("%w header %s: %s; want decimal digits, 1 to %d", fence.ErrInvalid, SeqHeader, fence.Quote(text[2]), uint64(guard.MaxSeq))
		}
	}
	if w.Key, err = url.PathUnescape(text[3]); err != nil || len(w.Key) > guard.MaxKeyBytes {
		return guard.Write{}, "", fmt.Errorf("%w header %s: want at most %d bytes, percent-encoded", fence.ErrInvalid, KeyHeader, guard.MaxKeyBytes)
	}
	return w, text[1], nil
}
