package s3store_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/s3store"
)

const bucket = "leases"

// server is gofakes3 on a loopback port, with a clock that a test may set and
// requests that it may break.
type server struct {
	backend *s3mem.Backend
	handler http.Handler
	http    *httptest.Server

	mu     sync.Mutex
	now    func() time.Time
	before func(w http.ResponseWriter, r *http.Request) bool // false: answered
	after  func(r *http.Request) bool                        // false: the answer is lost
	ahead  time.Duration                                     // of Date, before the clock that stamps objects
	counts map[string]int                                    // of requests, by method
}

// Now and Since make a server the time source of gofakes3.
func (s *server) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now()
}

func (s *server) Since(t time.Time) time.Duration { return s.Now().Sub(t) }

func startServer(t testing.TB) *server {
	t.Helper()
	s := &server{now: time.Now, counts: map[string]int{}}
	s.backend = s3mem.New(s3mem.WithTimeSource(s))
	if err := s.backend.CreateBucket(bucket); err != nil {
		t.Fatal(err)
	}
	s.handler = gofakes3.New(s.backend, gofakes3.WithTimeSource(s), gofakes3.WithTimeSkewLimit(0)).Server()
	s.http = httptest.NewServer(s)
	t.Cleanup(func() { s.http.Close() })
	return s
}

// ServeHTTP stamps the answers of gofakes3 with the server's clock.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	before, after := s.before, s.after
	s.counts[r.Method]++
	s.mu.Unlock()
	if before != nil && !before(w, r) {
		return
	}
	if after == nil {
		s.answer(w, r)
		return
	}
	rec := httptest.NewRecorder()
	s.answer(rec, r)
	if !after(r) {
		panic(http.ErrAbortHandler)
	}
	for k, v := range rec.Header() {
		w.Header()[k] = v
	}
	w.WriteHeader(rec.Code)
	_, _ = io.Copy(w, rec.Body)
}

func (s *server) answer(w http.ResponseWriter, r *http.Request) {
	d := dated{w, s}
	s.handler.ServeHTTP(d, r)
	d.stamp() // an answer without a body has not begun yet
}

// dated sets Date when the answer begins.
type dated struct {
	http.ResponseWriter
	s *server
}

func (d dated) WriteHeader(code int) {
	d.stamp()
	d.ResponseWriter.WriteHeader(code)
}

func (d dated) stamp() {
	if d.Header()["Date"] == nil {
		d.s.mu.Lock()
		defer d.s.mu.Unlock()
		d.Header().Set("Date", d.s.now().Add(d.s.ahead).UTC().Format(http.TimeFormat))
	}
}

func (d dated) Write(b []byte) (int, error) {
	d.stamp()
	return d.ResponseWriter.Write(b)
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

func (s *server) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// freeze stops the clock and returns what moves it.
func (s *server) freeze() (move func(time.Duration)) {
	at := time.Now().Truncate(time.Second)
	s.set(func() { s.now = func() time.Time { return at } })
	return func(d time.Duration) { s.set(func() { at = at.Add(d) }) }
}

// onPut calls f before each write of a name's record.
func (s *server) onPut(f func(w http.ResponseWriter, r *http.Request) bool) {
	s.set(func() {
		s.before = func(w http.ResponseWriter, r *http.Request) bool {
			return r.Method != http.MethodPut || !strings.Contains(r.URL.Path, "/lease/") || f(w, r)
		}
	})
}

// loseAnswers makes the next n answers to writes of records get lost.
func (s *server) loseAnswers(n int) {
	s.set(func() {
		s.after = func(r *http.Request) bool {
			if r.Method != http.MethodPut || !strings.Contains(r.URL.Path, "/lease/") {
				return true
			}
			n--
			return n < 0
		}
	})
}

func (s *server) heal() { s.set(func() { s.before, s.after = nil, nil }) }

// requests counts the reads and the writes of f. No other request may be made.
func (s *server) requests(t testing.TB, f func()) (reads, writes int) {
	t.Helper()
	s.set(func() { s.counts = map[string]int{} })
	f()
	s.mu.Lock()
	defer s.mu.Unlock()
	reads, writes = s.counts[http.MethodGet], s.counts[http.MethodPut]
	delete(s.counts, http.MethodGet)
	delete(s.counts, http.MethodPut)
	if len(s.counts) > 0 {
		t.Errorf("other requests: %v", s.counts)
	}
	return reads, writes
}

// keys lists the keys that hold part, in order.
func (s *server) keys(t testing.TB, part string) (keys []string) {
	t.Helper()
	list, err := s.backend.ListBucket(bucket, nil, gofakes3.ListBucketPage{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list.Contents {
		if strings.Contains(o.Key, part) {
			keys = append(keys, o.Key)
		}
	}
	slices.Sort(keys)
	return keys
}

func (s *server) client(change ...func(*s3.Options)) *s3.Client {
	return s3.New(s3.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(s.http.URL), UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider("id", "s3cret", ""),
	}, change...)
}

func (s *server) open(t testing.TB, o *s3store.Options) *s3store.Store {
	t.Helper()
	store, err := s3store.Open(t.Context(), s.client(), bucket, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
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

// another is the server that somebody who runs the tests names: Amazon's own, or a
// compatible one. The bucket exists.
//
//	RINGFENCE_S3_SERVER=https://s3.eu-central-1.amazonaws.com RINGFENCE_S3_REGION=eu-central-1 RINGFENCE_S3_BUCKET=mine \
//	AWS_ACCESS_KEY_ID=... AWS_SECRET_ACCESS_KEY=... go test -run TestAnotherServer .
func another(t testing.TB) (client *s3.Client, bucket string, o *s3store.Options) {
	t.Helper()
	url := os.Getenv("RINGFENCE_S3_SERVER")
	if url == "" {
		t.Skip("set RINGFENCE_S3_SERVER to run the suite on Amazon S3 or on a compatible server")
	}
	client = s3.New(s3.Options{
		Region: cmp.Or(os.Getenv("RINGFENCE_S3_REGION"), "us-east-1"), BaseEndpoint: &url, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"), os.Getenv("AWS_SESSION_TOKEN")),
	})
	return client, cmp.Or(os.Getenv("RINGFENCE_S3_BUCKET"), "ringfence-test"), &s3store.Options{Prefix: "ringfence-test/" + rand.Text() + "/"}
}
