package gcs_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/ringfence-go/ringfence/internal/gcs"
	"github.com/ringfence-go/ringfence/internal/gcstest"
)

func start(t *testing.T) (*gcstest.Server, gcs.Bucket) {
	t.Helper()
	s := gcstest.New("b")
	listening := httptest.NewServer(s)
	t.Cleanup(listening.Close)
	return s, gcs.Bucket{Client: http.DefaultClient, Endpoint: listening.URL + "/", Name: "b"}
}

func TestWriteAndRead(t *testing.T) {
	t.Parallel()
	_, b := start(t)
	for _, name := range []string{"a", "a/b", "a//b", "../a", "100%", "a+b", "a b", "a?b#c", "á🔒"} {
		if o, err := b.Read(t.Context(), name, 100); err != nil || o.Generation != "" || o.At.IsZero() {
			t.Errorf("%q before it is written: %+v, %v; want none, and the time", name, o, err)
		}
		if _, err := b.Write(t.Context(), name, "", "text/plain", []byte(name)); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		o, err := b.Read(t.Context(), name, 100)
		if err != nil || string(o.Data) != name || o.At.IsZero() {
			t.Errorf("%q: read %q at %s, %v", name, o.Data, o.At, err)
		}
		if stat, err := b.Stat(t.Context(), name); err != nil || stat.Generation != o.Generation || stat.Created.IsZero() || stat.At.IsZero() {
			t.Errorf("%q: %+v, %v; want generation %s", name, stat, err, o.Generation)
		}
		for _, generation := range []string{"", "17"} {
			var e *gcs.Error
			if _, err := b.Write(t.Context(), name, generation, "text/plain", nil); !errors.As(err, &e) || e.Meaning != gcs.Moved {
				t.Errorf("%q in the place of %q: %v; want moved", name, generation, err)
			}
		}
		if _, err := b.Read(t.Context(), name, int64(len(name))-1); err == nil {
			t.Errorf("%q: read although it is too long", name)
		}
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	s, b := start(t)
	want := []string{}
	for i := range 30 {
		name := "p/" + string(rune('a'+i))
		s.Put(name, "x")
		want = append(want, name)
	}
	s.Put("o", "x")
	s.Put("q", "x")
	for _, limit := range []int{1, 2, 7, 8, 1000} {
		var got []string
		for after, more := "", true; more; {
			var page []string
			var err error
			if page, more, err = b.List(t.Context(), "p/", after, limit); err != nil || len(page) > limit || more && len(page) == 0 {
				t.Fatalf("by %d: %q, more %t, %v", limit, page, more, err)
			}
			if got = append(got, page...); more {
				after = page[len(page)-1]
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("by %d: %q", limit, got)
		}
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		reason string
		want   gcs.Meaning
		hint   string
	}{
		{http.StatusPreconditionFailed, "conditionNotMet", gcs.Moved, ""},
		{http.StatusTooManyRequests, "", gcs.Busy, ""},
		{http.StatusForbidden, "userRateLimitExceeded", gcs.Busy, ""},
		{http.StatusConflict, "conflict", gcs.Busy, ""},
		{http.StatusForbidden, "forbidden", gcs.Unfit, "Storage Object User"},
		{http.StatusForbidden, "objectUnderActiveHold", gcs.Unfit, "without holds"},
		{http.StatusNotFound, "notFound", gcs.Unfit, `make the bucket "b"`},
		{http.StatusBadRequest, "invalid", gcs.Unfit, ""},
		{http.StatusRequestTimeout, "requestTimeout", gcs.Unknown, ""},
		{http.StatusServiceUnavailable, "backendError", gcs.Unknown, ""},
	} {
		s, b := start(t)
		s.Set(func(h *gcstest.Hooks) {
			h.Before = func(w http.ResponseWriter, _ *http.Request) bool {
				gcstest.Fail(w, c.status, c.reason, "so it is")
				return false
			}
		})
		var e *gcs.Error
		_, err := b.Write(t.Context(), "a", "", "text/plain", nil)
		if !errors.As(err, &e) || e.Meaning != c.want || !strings.Contains(e.Hint, c.hint) || !strings.Contains(err.Error(), c.reason+" so it is") {
			t.Errorf("%d %s: %+v, %v; want meaning %d and hint %q", c.status, c.reason, e, err, c.want, c.hint)
		}
	}
}
