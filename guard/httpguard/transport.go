package httpguard

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// Transport adds a fence to the requests that carry one in their context, and leaves
// the others alone:
//
//	client := &http.Client{Transport: httpguard.Transport{}}
//	req = req.WithContext(httpguard.With(ctx, guard.Write{Fence: lease.Fence(), Key: id}))
type Transport struct {
	// Base sends the requests. Defaults to http.DefaultTransport.
	Base http.RoundTripper
	// Sign vouches for a write, where receivers ask for it. Defaults to nobody.
	Sign func(context.Context, guard.Write) (signature string, err error)
}

type contextKey struct{}

// With returns a context whose requests carry w.
func With(ctx context.Context, w guard.Write) context.Context {
	return context.WithValue(ctx, contextKey{}, w)
}

// RoundTrip implements http.RoundTripper. A bad fence is refused before anything is
// sent.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	w, ok := r.Context().Value(contextKey{}).(guard.Write)
	if !ok || elsewhere(r) {
		return base.RoundTrip(r)
	}
	signature, err := "", w.Fence.Check()
	if err == nil && t.Sign != nil {
		signature, err = t.Sign(r.Context(), w)
	}
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, err
	}
	r = r.Clone(r.Context())
	put(r.Header, w, signature)
	return base.RoundTrip(r)
}

// elsewhere reports whether redirections lead r to another host than the one that the
// write was meant for, by however many steps, or out of TLS.
func elsewhere(r *http.Request) bool {
	for by := r.Response; by != nil && by.Request != nil; by = by.Request.Response {
		if from := by.Request.URL; from.Host != r.URL.Host || from.Scheme == "https" && r.URL.Scheme != "https" {
			return true
		}
	}
	return false
}

// Do sends r with w and says what became of it. Its client has a [Transport]. The error is nil exactly when
// the write is applied; the answer is there whenever the receiver gave one, and its
// body is the caller's to close.
func Do(c *http.Client, r *http.Request, w guard.Write) (*http.Response, fence.Verdict, error) {
	var sent atomic.Bool // of r, or of a request that a redirection led to
	ctx := httptrace.WithClientTrace(With(r.Context(), w), &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	answer, err := c.Do(r.WithContext(ctx))
	if err == nil {
		v := Verdict(answer)
		if v.OK() || v.Outcome == fence.Refused {
			return answer, v, v.Err()
		}
		e := &guard.Error{Kind: guard.ErrUnknown, Resource: v.Resource, Fence: w.Fence, Err: errors.New(answer.Status)}
		if v.Outcome == fence.Unavailable {
			e.Kind = guard.ErrUnavailable
		}
		return answer, v, e
	}
	v := fence.Verdict{Resource: r.URL.Redacted(), Fence: w.Fence}
	if errors.Is(err, fence.ErrInvalid) {
		v.Outcome, v.Cause = fence.Refused, fence.Invalid
		return nil, v, v.Err()
	}
	e := &guard.Error{Kind: guard.ErrUnknown, Resource: v.Resource, Fence: w.Fence, Err: err, Hint: "send the same token, seq and key again"}
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" && !sent.Load() {
		e.Kind, e.Hint = guard.ErrUnavailable, ""
	}
	return nil, e.Verdict(), e
}

// Verdict reads the receiver's verdict from its answer. One that says nothing is
// Unknown: it may come from a proxy that lost what the receiver said. So is one of another
// host, which a redirection led to without the fence: it has judged nothing.
func Verdict(r *http.Response) fence.Verdict {
	v := fence.Verdict{Resource: r.Request.URL.Redacted()}
	if w, ok := r.Request.Context().Value(contextKey{}).(guard.Write); ok {
		v.Fence = w.Fence
	}
	if elsewhere(r.Request) {
		return v
	}
	said := r.Header.Get(VerdictHeader)
	for o := fence.Unknown; o <= fence.Unavailable; o++ {
		if o.String() == said && o != fence.Refused {
			v.Outcome = o
		}
	}
	for _, c := range fence.Causes() {
		if c.String() == said {
			v.Outcome, v.Cause = fence.Refused, c
		}
	}
	if mark, err := fence.ParseToken(r.Header.Get(markHeader)); err == nil {
		v.Mark = mark
	}
	v.Landed = r.Header.Get(landedHeader) == "true"
	return v
}
