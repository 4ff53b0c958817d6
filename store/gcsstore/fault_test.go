package gcsstore_test

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/internal/gcstest"
	"github.com/ringfence-go/ringfence/store/gcsstore"
)

func TestLostAnswers(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	s := server.open(t, gcsstore.Options{})
	server.loseAnswers(1)
	term := take(t, s, "a", time.Minute)
	server.loseAnswers(1)
	if renewed, err := s.Renew(t.Context(), term, time.Hour); err != nil || renewed.Remaining < 50*time.Minute {
		t.Errorf("renew: %+v, %v", renewed, err)
	}
	server.loseAnswers(1)
	if err := s.Release(t.Context(), term); err != nil {
		t.Errorf("release whose answer was lost: %v; want that it succeeded", err)
	}
	wantEnded(t, s.Release(t.Context(), term), driver.EndReleased)
}

// TestPace: the service refuses to change one object twice in a second.
func TestPace(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	server.Set(func(h *gcstest.Hooks) { h.Pace = 300 * time.Millisecond })
	s := server.open(t, gcsstore.Options{})
	var last fence.Token
	for range 2 {
		term := take(t, s, "a", time.Minute)
		renewed, err := s.Renew(t.Context(), term, time.Minute)
		if err == nil {
			err = s.Release(t.Context(), renewed)
		}
		if err != nil || term.Token <= last {
			t.Fatalf("token %s after %s, %v", term.Token, last, err)
		}
		last = term.Token
	}
}

// TestTornRead: between the two requests of a read the object is replaced.
func TestTornRead(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	s := server.open(t, gcsstore.Options{})
	take(t, s, "a", time.Minute)
	name, told, reads := server.Names("/lease/")[0], make(chan struct{}, 9), 0
	server.Set(func(h *gcstest.Hooks) {
		h.Before = func(_ http.ResponseWriter, r *http.Request) bool {
			if r.URL.Query().Get("alt") == "media" {
				if reads++; reads < 3 {
					<-told
					server.Put(name, server.Data(name))
				}
			}
			return true
		}
		h.After = func(r *http.Request) bool {
			if r.URL.Query().Get("alt") == "" {
				told <- struct{}{}
			}
			return true
		}
	})
	if rec, err := s.Inspect(t.Context(), "a"); err != nil || rec.State != driver.Held || reads != 3 {
		t.Errorf("%+v, %v, after %d reads; want it held, and the data of one generation, by the third", rec, err, reads)
	}
}

func TestErrorsOfTheService(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		reason string
		want   error
		says   string
		most   int // writes
	}{
		{http.StatusForbidden, "forbidden", driver.ErrUnfit, "Storage Object User", 1},
		{http.StatusUnauthorized, "authError", driver.ErrUnfit, "Storage Object User", 1},
		{http.StatusForbidden, "retentionPolicyNotMet", driver.ErrUnfit, "without a retention policy", 1},
		{http.StatusNotFound, "notFound", driver.ErrUnfit, "make the bucket", 1},
		{http.StatusServiceUnavailable, "backendError", driver.ErrUnknown, "same attempt", 5},
		{http.StatusInternalServerError, "internalError", driver.ErrUnknown, "same attempt", 5},
		{http.StatusMethodNotAllowed, "methodNotAllowed", driver.ErrUnfit, "docs/stores/gcs.md", 1},
	} {
		t.Run(c.reason, func(t *testing.T) {
			t.Parallel()
			server := startServer(t)
			s := server.open(t, gcsstore.Options{})
			writes := 0
			server.onRecord(func(w http.ResponseWriter) bool {
				writes++
				gcstest.Fail(w, c.status, c.reason, strings.Repeat("no ", 1000))
				return false
			})
			_, err := s.Acquire(t.Context(), request("a", time.Minute))
			wantError(t, err, c.want, c.says)
			if len(err.Error()) > 800 || writes > c.most {
				t.Errorf("after %d writes: %d bytes of error; want at most %d writes, and an error to read", writes, len(err.Error()), c.most)
			}
		})
	}
}

func TestServiceThatIsDown(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	s := server.open(t, gcsstore.Options{})
	term := take(t, s, "a", time.Minute)
	server.http.CloseClientConnections()
	server.http.Close()
	_, err := s.Renew(t.Context(), term, time.Minute)
	wantError(t, err, driver.ErrUnavailable, "leases")
}

// unreachable fails to connect for writes of records.
type unreachable struct{}

func (unreachable) Do(r *http.Request) (*http.Response, error) {
	if gcstest.IsWrite(r, "/lease/") {
		return nil, &url.Error{Op: "Post", Err: &net.OpError{Op: "dial", Err: errors.New("refused")}}
	}
	return http.DefaultClient.Do(r)
}

func TestWriteThatCannotBeSent(t *testing.T) {
	t.Parallel()
	s, err := gcsstore.Open(t.Context(), unreachable{}, bucket, startServer(t).options(gcsstore.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Acquire(t.Context(), request("a", time.Minute))
	wantError(t, err, driver.ErrUnavailable, "refused")
}

func TestEndpointsThatCannotHostLeases(t *testing.T) {
	t.Parallel()
	header := func(name, value string) func(*gcstest.Hooks) {
		return func(h *gcstest.Hooks) {
			h.Before = func(w http.ResponseWriter, _ *http.Request) bool {
				if w.Header()[name] = []string{}; value != "" {
					w.Header().Set(name, value)
				}
				return true
			}
		}
	}
	for says, spoil := range map[string]func(*gcstest.Hooks){
		"the condition that there is no value": func(h *gcstest.Hooks) { h.Ignore = func(g string) bool { return g == "0" } },
		"the condition of a version":           func(h *gcstest.Hooks) { h.Ignore = func(g string) bool { return g != "0" } },
		"by another clock":                     func(h *gcstest.Hooks) { h.Ahead = time.Hour },
		"without a Date":                       header("Date", ""),
		"a cache":                              header("Age", "3"),
		"has more than": func(h *gcstest.Hooks) {
			h.Before = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Query().Get("alt") != "media" {
					return true
				}
				w.Header().Set("X-Goog-Generation", "7")
				_, _ = w.Write(make([]byte, 1<<20))
				return false
			}
		},
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			server := startServer(t)
			server.Set(spoil)
			_, err := gcsstore.Open(t.Context(), http.DefaultClient, bucket, server.options(gcsstore.Options{}))
			wantError(t, err, driver.ErrUnfit, says)
		})
	}
	_, err := gcsstore.Open(t.Context(), http.DefaultClient, "missing", startServer(t).options(gcsstore.Options{}))
	wantError(t, err, driver.ErrUnfit, "make the bucket")
	_, err = gcsstore.Open(t.Context(), http.DefaultClient, bucket, &gcsstore.Options{Prefix: "a b"})
	wantError(t, err, fence.ErrInvalid, "Prefix")
	_, err = gcsstore.Open(t.Context(), nil, bucket, nil)
	wantError(t, err, fence.ErrInvalid, "a client")
}
