package s3guard_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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

var rules = []guard.Rule{guard.Once, guard.Sequenced, guard.Latest}

// run runs the suite on a server, under each rule.
func run(t *testing.T, unwritable string, open func(r guard.Rule, o *s3guard.Options) (*s3guard.Guard, error)) {
	for _, rule := range rules {
		t.Run(rule.String(), func(t *testing.T) {
			guardtest.Run(t, guardtest.Target{
				Rule: rule, Establishes: true, Keys: true, Unwritable: unwritable,
				Open: func(context.Context, string) (guardtest.Resource, error) {
					g, err := open(rule, nil)
					return text{g}, err
				},
				Aging: func(_ context.Context, _ string, maxAge time.Duration) (guardtest.Aging, error) {
					g, err := open(rule, &s3guard.Options{MaxAge: maxAge})
					return text{g}, err
				},
			})
		})
	}
}

func TestGuard(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	run(t, unwritable, func(r guard.Rule, o *s3guard.Options) (*s3guard.Guard, error) {
		return s3guard.New(s.client(), bucket, strings.ToLower(rand.Text()), r, o)
	})
}

// TestAnotherServer runs the suite on a server that is named by the environment, as
// that of package s3store does. It refuses no data (clause G22).
func TestAnotherServer(t *testing.T) {
	t.Parallel()
	url := os.Getenv("RINGFENCE_S3_SERVER")
	if url == "" {
		t.Skip("set RINGFENCE_S3_SERVER to run the suite on Amazon S3 or on a compatible server")
	}
	client := s3.New(s3.Options{
		Region: cmp.Or(os.Getenv("RINGFENCE_S3_REGION"), "us-east-1"), BaseEndpoint: &url, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"), os.Getenv("AWS_SESSION_TOKEN")),
	})
	run(t, "", func(r guard.Rule, o *s3guard.Options) (*s3guard.Guard, error) {
		return s3guard.New(client, cmp.Or(os.Getenv("RINGFENCE_S3_BUCKET"), "ringfence-test"), "guarded/"+rand.Text(), r, o)
	})
}
