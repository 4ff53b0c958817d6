package httpguard

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
)

// Handler is the middleware of a receiver. Its zero value believes every fence that
// is well formed.
type Handler struct {
	// Keys are those whose signatures count. Defaults to none: fences need no signature.
	Keys *fence.Keyring
	// Lease is the name of the only lease whose fences count. Defaults to any.
	Lease string
	// Counter counts what is refused here. Defaults to none.
	Counter *guard.Counter
}

// The headers that complete a verdict.
const (
	markHeader   = "Ringfence-Mark"
	landedHeader = "Ringfence-Landed"
)

// Wrap returns a handler that calls next with what the request carries, and answers
// for itself when that is no fence, or not one of the authority.
func (h Handler) Wrap(next func(http.ResponseWriter, *http.Request, guard.Write)) http.Handler {
	door := guard.Door{Keys: h.Keys, Lease: h.Lease, Counter: h.Counter}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w, err := read(door, r)
		if err == nil {
			next(rw, r, w)
			return
		}
		var v fence.Verdict
		if refused, ok := errors.AsType[*fence.RefusedError](err); ok {
			v = refused.Verdict
		}
		Answer(rw, v, err)
	})
}

// problem is the body of an answer that is not good, after RFC 9457.
type problem struct {
	Title   string `json:"title"`
	Status  int    `json:"status"`
	Detail  string `json:"detail,omitempty"`
	Verdict string `json:"verdict"`
}

// Answer tells the client what became of its write: the verdict in a header, the
// status that goes with it, and in the body why. err is the error that came with v;
// one without a verdict, such as the failure of your own statements, becomes a 500
// that keeps its text to itself. After an admitted or duplicate write Answer writes
// a 204; write your own body instead where you have one, after [Tell].
func Answer(rw http.ResponseWriter, v fence.Verdict, err error) {
	if err != nil && v.OK() {
		v.Outcome = fence.Unknown
	}
	Tell(rw, v)
	if v.OK() {
		rw.WriteHeader(http.StatusNoContent)
		return
	}
	p := problem{Title: "The write was not applied", Status: status(v), Verdict: v.Word()}
	var about *guard.Error
	switch {
	case v.Outcome == fence.Unknown:
		p.Title, p.Detail = "The write may be applied", "send the same token, seq and key again before anything else"
	case v.Outcome == fence.Refused && err != nil:
		p.Detail = err.Error()
	case errors.As(err, &about):
		p.Detail = about.Kind.Error()
	}
	rw.Header().Set("Content-Type", "application/problem+json")
	rw.WriteHeader(p.Status)
	_ = json.NewEncoder(rw).Encode(p) // the client is gone where it fails
}

// Tell puts the verdict into the headers of an answer that you write yourself.
func Tell(rw http.ResponseWriter, v fence.Verdict) {
	rw.Header().Set(VerdictHeader, v.Word())
	if v.Mark.Valid() {
		rw.Header().Set(markHeader, v.Mark.String())
	}
	if v.Landed {
		rw.Header().Set(landedHeader, "true")
	}
}

// status is the one that makes common clients do the right thing: none of them sends
// a refused write again by itself.
func status(v fence.Verdict) int {
	switch v.Outcome {
	case fence.Unknown:
		return http.StatusInternalServerError
	case fence.Unavailable:
		return http.StatusServiceUnavailable
	}
	switch v.Cause {
	case fence.Superseded, fence.Lapsed, fence.Outdated:
		return http.StatusPreconditionFailed
	case fence.NotEstablished:
		return http.StatusPreconditionRequired
	case fence.OutOfSequence, fence.Conflict:
		return http.StatusConflict
	}
	return http.StatusBadRequest
}
