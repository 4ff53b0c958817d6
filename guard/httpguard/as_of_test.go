package httpguard_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/httpguard"
)

// TestTimeOfInputsHasOneSpelling: what is none stops at the door, and the receiver's
// handler is told the millisecond.
func TestTimeOfInputsHasOneSpelling(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 29, 12, 0, 0, 7_000_000, time.UTC)
	for text, want := range map[string]time.Time{
		"1795953600007": at, "": {}, "0": {}, "-1": {}, "+5": {}, "05": {}, "5.0": {}, "1e12": {}, "9007199254740992": {}, "2026-11-29T12:00:00Z": {},
	} {
		var got *guard.Write
		h := httpguard.Handler{}.Wrap(func(_ http.ResponseWriter, _ *http.Request, w guard.Write) { got = &w })
		r := httptest.NewRequest(http.MethodPost, "/x", nil)
		r.Header.Set(httpguard.FenceHeader, fence.Fence{Name: "job", Token: 5}.String())
		r.Header.Set(httpguard.AsOfHeader, text)
		rw := httptest.NewRecorder()
		h.ServeHTTP(rw, r)
		switch passes := text == "" || !want.IsZero(); {
		case passes && (got == nil || !got.AsOf.Equal(want)):
			t.Errorf("%q: %d, and the handler is told %+v; want %s", text, rw.Code, got, want)
		case !passes && (got != nil || rw.Code != http.StatusBadRequest):
			t.Errorf("%q: %d, and the handler is told %+v; want it refused", text, rw.Code, got)
		}
	}
	rw := httptest.NewRecorder()
	httpguard.Tell(rw, fence.Verdict{Outcome: fence.Refused, Cause: fence.Outdated})
	if got := rw.Header().Get(httpguard.VerdictHeader); got != "outdated" {
		t.Errorf("the verdict is told as %q", got)
	}
}
