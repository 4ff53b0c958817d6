package s3guard_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/guardtest"
	"github.com/ringfence-go/ringfence/guard/s3guard"
)

const (
	bucket     = "data"
	unwritable = "a text that the service refuses"
)

// server is gofakes3 on a loopback port. before answers a request in its place, and
// after makes its answer get lost, both when they return true.
type server struct {
	http          *httptest.Server
	handler       http.Handler
	before, after atomic.Pointer[func(http.ResponseWriter, *http.Request) bool]
}

func startServer(t testing.TB) *server {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket(bucket); err != nil {
		t.Fatal(err)
	}
	s := &server{handler: gofakes3.New(backend).Server()}
	s.http = httptest.NewServer(s)
	t.Cleanup(s.http.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if r.Body = io.NopCloser(bytes.NewReader(body)); bytes.Contains(body, []byte(unwritable)) {
		fail(w, http.StatusBadRequest, "EntityTooLarge")
		return
	}
	if f := s.before.Load(); f != nil && (*f)(w, r) {
		return
	}
	if f := s.after.Load(); f != nil && r.Method == http.MethodPut {
		s.handler.ServeHTTP(httptest.NewRecorder(), r)
		if (*f)(w, r) {
			panic(http.ErrAbortHandler)
		}
		return
	}
	s.handler.ServeHTTP(w, r)
}

func fail(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>no</Message></Error>", code)
}

func (s *server) client() *s3.Client {
	return s3.New(s3.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(s.http.URL), UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider("id", "s3cret", ""),
	})
}

func (s *server) guard(t testing.TB, key string, r guard.Rule) *s3guard.Guard {
	t.Helper()
	g, err := s3guard.New(s.client(), bucket, key, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// text is a guarded object that holds one text.
type text struct{ *s3guard.Guard }

func (x text) Write(ctx context.Context, w guard.Write, value string) (fence.Verdict, error) {
	return x.Guard.Write(ctx, w, []byte(value))
}

func (x text) Read(ctx context.Context) (string, error) {
	data, err := x.Guard.Read(ctx)
	return string(data), err
}

func TestGuard(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for _, rule := range []guard.Rule{guard.Once, guard.Sequenced, guard.Latest} {
		t.Run(rule.String(), func(t *testing.T) {
			guardtest.Run(t, guardtest.Target{
				Rule: rule, Establishes: true, Keys: true, Unwritable: unwritable,
				Open: func(context.Context, string) (guardtest.Resource, error) {
					return text{s.guard(t, strings.ToLower(rand.Text()), rule)}, nil
				},
			})
		})
	}
}
