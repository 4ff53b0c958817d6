package gcsguard_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/gcsguard"
	"github.com/ringfence-go/ringfence/guard/guardtest"
	"github.com/ringfence-go/ringfence/internal/gcstest"
)

const (
	bucket     = "data"
	unwritable = "a text that the service refuses"
)

// refusing is a client of a service that refuses one text.
type refusing struct{ *http.Client }

func (c refusing) Do(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		if strings.Contains(string(body), unwritable) {
			w := httptest.NewRecorder()
			gcstest.Fail(w, http.StatusRequestEntityTooLarge, "uploadTooLarge", "no")
			return w.Result(), nil
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
	}
	return c.Client.Do(r)
}

// server is the test server of ours on a loopback port.
type server struct {
	*gcstest.Server
	url string
}

func startServer(t testing.TB) *server {
	t.Helper()
	s := gcstest.New(bucket)
	listening := httptest.NewServer(s)
	t.Cleanup(listening.Close)
	return &server{s, listening.URL}
}

func (s *server) guard(t testing.TB, key string, r guard.Rule) *gcsguard.Guard {
	t.Helper()
	g, err := gcsguard.New(refusing{http.DefaultClient}, bucket, key, r, &gcsguard.Options{Endpoint: s.url})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// text is a guarded object that holds one text.
type text struct{ *gcsguard.Guard }

func (x text) Write(ctx context.Context, w guard.Write, value string) (fence.Verdict, error) {
	return x.Guard.Write(ctx, w, []byte(value))
}

func (x text) Read(ctx context.Context) (string, error) {
	data, err := x.Guard.Read(ctx)
	return string(data), err
}

var rules = []guard.Rule{guard.Once, guard.Sequenced, guard.Latest}

func TestGuard(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for _, rule := range rules {
		t.Run(rule.String(), func(t *testing.T) {
			guardtest.Run(t, guardtest.Target{
				Rule: rule, Establishes: true, Keys: true, Unwritable: unwritable,
				Open: func(context.Context, string) (guardtest.Resource, error) {
					return text{s.guard(t, strings.ToLower(rand.Text()), rule)}, nil
				},
				Aging: func(_ context.Context, _ string, maxAge time.Duration) (guardtest.Aging, error) {
					g, err := gcsguard.New(http.DefaultClient, bucket, rand.Text(), rule, &gcsguard.Options{Endpoint: s.url, MaxAge: maxAge})
					return text{g}, err
				},
			})
		})
	}
}

// TestAnotherServer runs the suite on a server that is named by the environment:
// Google's own, or fake-gcs-server. The bucket exists.
//
//	RINGFENCE_GCS_SERVER=https://storage.googleapis.com RINGFENCE_GCS_BUCKET=mine \
//	RINGFENCE_GCS_ACCESS=$(gcloud auth print-access-token) go test -run TestAnotherServer ./guard/gcsguard
func TestAnotherServer(t *testing.T) {
	t.Parallel()
	url := os.Getenv("RINGFENCE_GCS_SERVER")
	if url == "" {
		t.Skip("set RINGFENCE_GCS_SERVER to run the suite on Google Cloud Storage or on fake-gcs-server")
	}
	client := refusing{&http.Client{Transport: bearer(os.Getenv("RINGFENCE_GCS_ACCESS"))}}
	for _, rule := range rules {
		t.Run(rule.String(), func(t *testing.T) {
			guardtest.Run(t, guardtest.Target{
				Rule: rule, Establishes: true, Keys: true, Unwritable: unwritable,
				Open: func(context.Context, string) (guardtest.Resource, error) {
					name := cmp.Or(os.Getenv("RINGFENCE_GCS_BUCKET"), "ringfence-test")
					g, err := gcsguard.New(client, name, "guarded/"+rand.Text(), rule, &gcsguard.Options{Endpoint: url})
					return text{g}, err
				},
			})
		})
	}
}

// bearer adds an access token, if there is one.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r = r.Clone(r.Context()); b != "" {
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

func fenceOf(token fence.Token) fence.Fence { return fence.Fence{Name: "report", Token: token} }

func establish(t testing.TB, g *gcsguard.Guard, token fence.Token) {
	t.Helper()
	if v, err := g.Establish(t.Context(), fenceOf(token)); err != nil {
		t.Fatal(v, err)
	}
}

func TestLostAnswerIsFoundByTheNonce(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	g := s.guard(t, "a", guard.Once)
	establish(t, g, 5)
	s.Set(func(h *gcstest.Hooks) { h.After = func(r *http.Request) bool { s.Heal(); return false } })
	v, err := g.Write(t.Context(), guard.Write{Fence: fenceOf(5), Key: "k"}, []byte("text"))
	if v.Outcome != fence.Admitted || err != nil || s.Data("a") == "" {
		t.Errorf("%v, %v; want admitted, by this very write", v, err)
	}
}

// TestSupersededOnTheWay holds a write back after its read until a newer term has
// established itself.
func TestSupersededOnTheWay(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	g, other := s.guard(t, "a", guard.Latest), s.guard(t, "a", guard.Latest)
	establish(t, g, 5)
	s.Set(func(h *gcstest.Hooks) {
		h.Before = func(_ http.ResponseWriter, r *http.Request) bool {
			if gcstest.IsWrite(r, "a") {
				s.Heal()
				establish(t, other, 6)
			}
			return true
		}
	})
	v, err := g.Write(t.Context(), guard.Write{Fence: fenceOf(5)}, []byte("stale"))
	if v.Cause != fence.Superseded || !errors.Is(err, fence.ErrRefused) {
		t.Errorf("%v, %v; want superseded", v, err)
	}
	if data, err := g.Read(t.Context()); err != nil || len(data) > 0 {
		t.Errorf("the object holds %q, %v", data, err)
	}
}

// TestPace: the service refuses to change one object twice in a second.
func TestPace(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.Set(func(h *gcstest.Hooks) { h.Pace = 500 * time.Millisecond })
	g := s.guard(t, "a", guard.Sequenced)
	establish(t, g, 5)
	for seq := range uint64(3) {
		if v, err := g.Write(t.Context(), guard.Write{Fence: fenceOf(5), Seq: seq + 1, Key: "k"}, []byte("text")); err != nil {
			t.Fatal(v, err)
		}
	}
}

func TestErrorsOfTheService(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		reason string
		want   error
		says   string
	}{
		{http.StatusForbidden, "forbidden", guard.ErrUnfit, "Storage Object User"},
		{http.StatusForbidden, "retentionPolicyNotMet", guard.ErrUnfit, "without a retention policy"},
		{http.StatusNotFound, "notFound", guard.ErrUnfit, "make the bucket"},
		{http.StatusConflict, "conflict", guard.ErrRetry, "all the time"},
		{http.StatusServiceUnavailable, "backendError", guard.ErrUnknown, "same write again"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			t.Parallel()
			s := startServer(t)
			g := s.guard(t, "a", guard.Latest)
			establish(t, g, 5)
			s.Set(func(h *gcstest.Hooks) {
				h.Before = func(w http.ResponseWriter, r *http.Request) bool {
					if !gcstest.IsWrite(r, "a") {
						return true
					}
					gcstest.Fail(w, c.status, c.reason, "no")
					return false
				}
			})
			v, err := g.Write(t.Context(), guard.Write{Fence: fenceOf(5)}, []byte("text"))
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || v.OK() {
				t.Errorf("%v, %v; want %v that says %q", v, err, c.want, c.says)
			}
		})
	}
}

func TestBadCalls(t *testing.T) {
	t.Parallel()
	for _, f := range []func() (*gcsguard.Guard, error){
		func() (*gcsguard.Guard, error) { return gcsguard.New(nil, bucket, "a", guard.Latest, nil) },
		func() (*gcsguard.Guard, error) { return gcsguard.New(http.DefaultClient, "", "a", guard.Latest, nil) },
		func() (*gcsguard.Guard, error) {
			return gcsguard.New(http.DefaultClient, bucket, "", guard.Latest, nil)
		},
	} {
		if _, err := f(); !errors.Is(err, fence.ErrInvalid) {
			t.Errorf("%v; want invalid", err)
		}
	}
}
