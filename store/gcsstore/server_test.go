package gcsstore_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/gcstest"
	"github.com/ringfence-go/ringfence/store/gcsstore"
)

const bucket = "leases"

// server is the test server of ours on a loopback port.
type server struct {
	*gcstest.Server
	http *httptest.Server
}

func startServer(t testing.TB) *server {
	t.Helper()
	s := &server{Server: gcstest.New(bucket)}
	s.http = httptest.NewServer(s)
	t.Cleanup(func() { s.http.Close() })
	return s
}

// restart ends the process that answers, as far as clients can tell. Its bucket
// stays, as that of a service does.
func (s *server) restart(t testing.TB) {
	t.Helper()
	addr := s.http.Listener.Addr().String()
	s.http.CloseClientConnections()
	s.http.Close()
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	s.http = httptest.NewUnstartedServer(s)
	_ = s.http.Listener.Close()
	s.http.Listener = listener
	s.http.Start()
}

func (s *server) options(o gcsstore.Options) *gcsstore.Options {
	o.Endpoint = s.http.URL
	return &o
}

func (s *server) open(t testing.TB, o gcsstore.Options) *gcsstore.Store {
	t.Helper()
	store, err := gcsstore.Open(t.Context(), http.DefaultClient, bucket, s.options(o))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// frozen is a store whose server's clock stands still.
func frozen(t testing.TB) (*server, *gcsstore.Store, func(time.Duration)) {
	s := startServer(t)
	move := s.Freeze()
	return s, s.open(t, gcsstore.Options{}), move
}

// onRecord calls f before each write of a name's record. It answers unless it returns true.
func (s *server) onRecord(f func(http.ResponseWriter) bool) {
	s.Set(func(h *gcstest.Hooks) {
		h.Before = func(w http.ResponseWriter, r *http.Request) bool { return !gcstest.IsWrite(r, "/lease/") || f(w) }
	})
}

// loseAnswers makes the next n answers to writes of records get lost.
func (s *server) loseAnswers(n int) {
	s.Set(func(h *gcstest.Hooks) {
		h.After = func(r *http.Request) bool {
			if !gcstest.IsWrite(r, "/lease/") {
				return true
			}
			n--
			return n < 0
		}
	})
}

// slowly makes the clock move by d while the next write of a record is on its way.
func (s *server) slowly(move func(time.Duration), d time.Duration) {
	s.onRecord(func(http.ResponseWriter) bool {
		s.Heal()
		move(d)
		return true
	})
}

func request(name string, ttl time.Duration) driver.Request {
	return driver.Request{Name: name, Attempt: rand.Text(), Holder: "a test", TTL: ttl}
}

func take(t testing.TB, s driver.Store, name string, ttl time.Duration) driver.Term {
	t.Helper()
	term, err := s.Acquire(context.Background(), request(name, ttl))
	if err != nil {
		t.Fatalf("acquire %q: %v", name, err)
	}
	return term
}

func wantEnded(t testing.TB, err error, want driver.EndCause) {
	t.Helper()
	var end *driver.EndedError
	if !errors.As(err, &end) || end.Cause != want {
		t.Errorf("got %v; want an EndedError of cause %s", err, want)
	}
}

func wantError(t testing.TB, err, want error, says string) {
	t.Helper()
	if !errors.Is(err, want) || !strings.Contains(err.Error(), says) {
		t.Errorf("got %v; want %v that says %q", err, want, says)
	}
}

// another is the server that somebody who runs the tests names: Google's own, or
// fake-gcs-server. The bucket exists.
//
//	RINGFENCE_GCS_SERVER=https://storage.googleapis.com RINGFENCE_GCS_BUCKET=mine \
//	RINGFENCE_GCS_ACCESS=$(gcloud auth print-access-token) go test -run TestAnotherServer ./store/gcsstore
func another(t testing.TB) (client *http.Client, bucket string, o *gcsstore.Options) {
	t.Helper()
	url := os.Getenv("RINGFENCE_GCS_SERVER")
	if url == "" {
		t.Skip("set RINGFENCE_GCS_SERVER to run the suite on Google Cloud Storage or on fake-gcs-server")
	}
	client = &http.Client{Transport: bearer(os.Getenv("RINGFENCE_GCS_ACCESS"))}
	o = &gcsstore.Options{Endpoint: url, Prefix: "ringfence-test/" + rand.Text() + "/"}
	return client, cmp.Or(os.Getenv("RINGFENCE_GCS_BUCKET"), "ringfence-test"), o
}

// bearer adds an access token, if there is one.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r = r.Clone(r.Context()); b != "" {
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}
