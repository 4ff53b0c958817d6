package stores

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
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

const (
	notOurs = "The service keeps what it has acknowledged, whatever becomes of its machines."
	oneCopy = "A read finds what was last acknowledged: there is no copy that lags to be put in charge."
	noPrune = "Nothing is ever removed: one object stays for each name."
)

var s3Column = column{
	name: "S3", page: "s3.md",
	start: func(*testing.T) func(*testing.T, bool) *site { return s3Site },
	lacks: map[string]string{"K": composed, "R13": noLine, "R26": noZones, "R36b": noPrune, "L1": notOurs, "L3": oneCopy, "L6": notEvicting},
}

const bucket = "leases"

// s3Server is gofakes3 in this process, with a clock that a test may move and
// answers to writes that it may lose.
type s3Server struct {
	backend *s3mem.Backend
	handler http.Handler

	mu    sync.Mutex
	ahead time.Duration
	mute  bool
}

// Now and Since make it the time source of gofakes3.
func (s *s3Server) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Add(s.ahead)
}

func (s *s3Server) Since(t time.Time) time.Duration { return s.Now().Sub(t) }

func (s *s3Server) set(ahead time.Duration, mute bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ahead, s.mute = ahead, mute
}

// ServeHTTP stamps an answer with the server's clock, and sends it, or not.
func (s *s3Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := httptest.NewRecorder()
	s.handler.ServeHTTP(answer, r)
	s.mu.Lock()
	lost := s.mute && r.Method == http.MethodPut
	s.mu.Unlock()
	if lost {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), answer.Header())
	w.Header().Set("Date", s.Now().UTC().Format(http.TimeFormat))
	w.WriteHeader(answer.Code)
	_, _ = io.Copy(w, answer.Body)
}

func s3Site(t *testing.T, _ bool) *site {
	server := &s3Server{}
	server.backend = s3mem.New(s3mem.WithTimeSource(server))
	if err := server.backend.CreateBucket(bucket); err != nil {
		t.Fatal(err)
	}
	server.handler = gofakes3.New(server.backend, gofakes3.WithTimeSource(server), gofakes3.WithTimeSkewLimit(0)).Server()
	listening := httptest.NewServer(server)
	t.Cleanup(func() { listening.CloseClientConnections(); listening.Close() })

	at := &site{addr: strings.TrimPrefix(listening.URL, "http://"), tick: 1100 * time.Millisecond}
	at.opens = openS3
	at.lossy = func(t *testing.T) (driver.Store, func(), func()) {
		return at.direct(t), func() { server.set(0, true) }, func() { server.set(0, false) }
	}
	at.behindProxy()
	at.keep = func() func() {
		kept := server.objects(t)
		return func() { server.empty(t, ""); server.put(t, kept) }
	}
	at.flush = func() { server.empty(t, "") }
	at.forget = func() { server.empty(t, "ringfence/store") }
	at.clock = func(ahead time.Duration) { server.set(ahead, false) }
	at.age = func() { server.set(2*time.Minute, false) }
	return at
}

func openS3(t *testing.T, addr string) (driver.Store, error) {
	client := s3.New(s3.Options{
		Region: "us-east-1", BaseEndpoint: aws.String("http://" + addr), UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider("id", "s3cret", ""),
		HTTPClient:  &http.Client{Transport: &http.Transport{}}, // connections of its own
	})
	return s3store.Open(t.Context(), client, bucket, nil)
}

// objects are the bodies of all objects, by key.
func (s *s3Server) objects(t *testing.T) map[string][]byte {
	t.Helper()
	list, err := s.backend.ListBucket(bucket, nil, gofakes3.ListBucketPage{})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, found := range list.Contents {
		o, err := s.backend.GetObject(bucket, found.Key, nil)
		if err != nil {
			t.Fatal(err)
		}
		if all[found.Key], err = io.ReadAll(o.Contents); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func (s *s3Server) put(t *testing.T, objects map[string][]byte) {
	t.Helper()
	for key, body := range objects {
		stamp := map[string]string{"Last-Modified": s.Now().UTC().Format(http.TimeFormat)}
		if _, err := s.backend.PutObject(bucket, key, stamp, bytes.NewReader(body), int64(len(body)), nil); err != nil {
			t.Fatal(err)
		}
	}
}

// empty removes the objects whose keys begin with prefix.
func (s *s3Server) empty(t *testing.T, prefix string) {
	t.Helper()
	for key := range s.objects(t) {
		if !strings.HasPrefix(key, prefix) {
			continue
		}
		if _, err := s.backend.DeleteObject(bucket, key); err != nil {
			t.Fatal(err)
		}
	}
}
