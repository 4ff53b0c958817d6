package gcstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Server answers for one bucket. It is an http.Handler.
type Server struct {
	bucket string

	mu     sync.Mutex
	hooks  Hooks
	values map[string]object
	last   int64 // generation
	counts map[string]int
}

// Hooks are what a test breaks. Their zero values break nothing.
type Hooks struct {
	Now    func() time.Time                              // the clock
	Ahead  time.Duration                                 // of Date, before the clock that stamps objects
	Before func(http.ResponseWriter, *http.Request) bool // false: answered
	After  func(*http.Request) bool                      // false: applied, and the answer is lost
	Ignore func(generation string) bool                  // conditions of writes that are not kept
	Pace   time.Duration                                 // how long after a write of an object the next one is refused
	Bucket string                                        // what is told about the bucket, in JSON
}

// object is one generation.
type object struct {
	generation int64
	created    time.Time
	data       []byte
}

// New makes a server with an empty bucket.
func New(bucket string) *Server {
	return &Server{bucket: bucket, values: map[string]object{}, counts: map[string]int{}}
}

// Set changes the hooks.
func (s *Server) Set(f func(*Hooks)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.hooks)
}

// Freeze stops the clock and returns what moves it.
func (s *Server) Freeze() (move func(time.Duration)) {
	at := time.Now().Truncate(time.Second)
	s.Set(func(h *Hooks) { h.Now = func() time.Time { return at } })
	return func(d time.Duration) { s.Set(func(*Hooks) { at = at.Add(d) }) }
}

// Heal takes Before and After away.
func (s *Server) Heal() { s.Set(func(h *Hooks) { h.Before, h.After = nil, nil }) }

// IsWrite reports whether r writes an object whose name holds part.
func IsWrite(r *http.Request, part string) bool {
	if r.Method != http.MethodPost {
		return false
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	_, about, found := bytes.Cut(body, []byte("\r\n\r\n"))
	about, _, _ = bytes.Cut(about, []byte("\r\n"))
	var o struct{ Name string }
	return found && json.Unmarshal(about, &o) == nil && strings.Contains(o.Name, part)
}

// Put writes an object without a condition, as other programs do.
func (s *Server) Put(name, data string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store(name, []byte(data))
}

// Data is what an object holds.
func (s *Server) Data(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.values[name].data)
}

// Names lists the objects whose names hold part, in order.
func (s *Server) Names(part string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s.values)), func(n string) bool { return !strings.Contains(n, part) })
}

// Remove deletes the objects whose names hold part.
func (s *Server) Remove(part string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.values, func(n string, _ object) bool { return strings.Contains(n, part) })
}

// Requests counts the requests of f, by method.
func (s *Server) Requests(f func()) map[string]int {
	s.Set(func(*Hooks) { s.counts = map[string]int{} })
	f()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// now is the clock. The caller holds mu.
func (s *Server) now() time.Time {
	if s.hooks.Now == nil {
		return time.Now()
	}
	return s.hooks.Now()
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	h := s.hooks
	s.counts[r.Method]++
	s.mu.Unlock()
	if h.Before != nil && !h.Before(w, r) {
		return
	}
	answer := httptest.NewRecorder()
	maps.Copy(answer.Header(), w.Header())
	again := r.Clone(r.Context()) // the hook after may read the body, too
	if r.Body != nil {
		body, _ := io.ReadAll(r.Body)
		r.Body, again.Body = io.NopCloser(bytes.NewReader(body)), io.NopCloser(bytes.NewReader(body))
	}
	s.serve(answer, r)
	if h.After != nil && !h.After(again) {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), answer.Header())
	s.mu.Lock()
	if w.Header()["Date"] == nil {
		w.Header().Set("Date", s.now().Add(s.hooks.Ahead).UTC().Format(http.TimeFormat))
	}
	s.mu.Unlock()
	w.WriteHeader(answer.Code)
	_, _ = io.Copy(w, answer.Body)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	path, upload := strings.CutPrefix(r.URL.EscapedPath(), "/upload")
	rest, ok := strings.CutPrefix(path, "/storage/v1/b/")
	bucket, rest, _ := strings.Cut(rest, "/")
	name, err := url.PathUnescape(strings.TrimPrefix(rest, "o/"))
	q := r.URL.Query()
	switch {
	case !ok || err != nil:
		Fail(w, http.StatusNotFound, "notFound", "Not Found")
	case bucket != s.bucket:
		Fail(w, http.StatusNotFound, "notFound", "The specified bucket does not exist.")
	case upload && r.Method == http.MethodPost && rest == "o":
		s.upload(w, r, q)
	case r.Method == http.MethodGet && rest == "":
		s.describe(w)
	case r.Method == http.MethodGet && rest == "o":
		s.list(w, q)
	case r.Method == http.MethodGet && strings.HasPrefix(rest, "o/"):
		s.read(w, name, q.Get("alt") == "media")
	default:
		Fail(w, http.StatusMethodNotAllowed, "notAllowed", "the test server does not do that")
	}
}

// Fail answers as the service does when it fails.
func Fail(w http.ResponseWriter, status int, reason, message string) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
		"code": status, "message": message, "errors": []any{map[string]any{"message": message, "domain": "global", "reason": reason}},
	}})
}

func (s *Server) describe(w http.ResponseWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hooks.Bucket == "" {
		Fail(w, http.StatusForbidden, "forbidden", "the caller does not have storage.buckets.get access")
		return
	}
	fmt.Fprint(w, s.hooks.Bucket)
}

func (s *Server) read(w http.ResponseWriter, name string, media bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, found := s.values[name]
	switch {
	case !found && media:
		http.Error(w, "No such object: "+s.bucket+"/"+name, http.StatusNotFound)
	case !found:
		Fail(w, http.StatusNotFound, "notFound", "No such object: "+s.bucket+"/"+name)
	case media:
		w.Header().Set("X-Goog-Generation", strconv.FormatInt(o.generation, 10))
		_, _ = w.Write(o.data)
	default:
		_ = json.NewEncoder(w).Encode(map[string]any{
			"generation": strconv.FormatInt(o.generation, 10), "timeCreated": o.created.UTC().Format("2006-01-02T15:04:05.000Z"),
		})
	}
}

// list answers with small pages, so that more than one is asked for.
func (s *Server) list(w http.ResponseWriter, q url.Values) {
	const page = 7
	from := max(q.Get("startOffset"), q.Get("pageToken"))
	limit, _ := strconv.Atoi(q.Get("maxResults"))
	var answer struct {
		Items         []map[string]string `json:"items,omitempty"`
		NextPageToken string              `json:"nextPageToken,omitempty"`
	}
	for _, name := range s.Names("") {
		if name < from || !strings.HasPrefix(name, q.Get("prefix")) {
			continue
		}
		if len(answer.Items) == min(max(limit, 1), page) {
			answer.NextPageToken = name
			break
		}
		answer.Items = append(answer.Items, map[string]string{"name": name})
	}
	_ = json.NewEncoder(w).Encode(answer)
}
