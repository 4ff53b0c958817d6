package gcstest

import (
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
)

// upload takes an object, if its condition holds.
func (s *Server) upload(w http.ResponseWriter, r *http.Request, q url.Values) {
	name, data, err := parts(r)
	if err != nil || q.Get("uploadType") != "multipart" {
		Fail(w, http.StatusBadRequest, "invalid", "a multipart upload, please")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.values[name]
	if want := q.Get("ifGenerationMatch"); want != "" && want != strconv.FormatInt(now.generation, 10) &&
		(s.hooks.Ignore == nil || !s.hooks.Ignore(want)) {
		Fail(w, http.StatusPreconditionFailed, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.")
		return
	}
	if since := s.now().Sub(now.created); now.generation != 0 && since >= 0 && since < s.hooks.Pace {
		Fail(w, http.StatusTooManyRequests, "rateLimitExceeded", "The object exceeded the rate limit for object mutation operations (create, update, and delete).")
		return
	}
	s.store(name, data)
	_ = json.NewEncoder(w).Encode(map[string]string{"generation": strconv.FormatInt(s.last, 10)})
}

// store makes the next generation. The caller holds mu.
func (s *Server) store(name string, data []byte) {
	s.last = max(s.last+1, s.now().UnixMicro())
	s.values[name] = object{generation: s.last, created: s.now(), data: data}
}

// parts reads the name and the data of a multipart upload.
func parts(r *http.Request) (name string, data []byte, err error) {
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return "", nil, err
	}
	all := multipart.NewReader(r.Body, params["boundary"])
	about, err := all.NextPart()
	if err != nil {
		return "", nil, err
	}
	var o struct{ Name string }
	if err := json.NewDecoder(about).Decode(&o); err != nil {
		return "", nil, err
	}
	part, err := all.NextPart()
	if err != nil {
		return "", nil, err
	}
	data, err = io.ReadAll(part)
	return o.Name, data, err
}
