package gcs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"time"
)

// Endpoint is where Google answers.
const Endpoint = "https://storage.googleapis.com"

// Doer sends a request with the credentials that it needs: an *http.Client.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// Bucket is a bucket at an endpoint.
type Bucket struct {
	Client   Doer
	Endpoint string // "" is Endpoint
	Name     string
}

// Object is what a read found.
type Object struct {
	Generation string // "" where there is none
	Data       []byte
	Created    time.Time // of this generation; only of Stat
	At         time.Time // the Date of the answer
}

// Read reads the data of an object, or fails where they are longer than most bytes. One
// that is missing is no error.
func (b Bucket) Read(ctx context.Context, name string, most int64) (Object, error) {
	resp, err := b.send(ctx, http.MethodGet, "/storage/v1", "/o/"+url.PathEscape(name), url.Values{"alt": {"media"}}, nil, "")
	if err != nil {
		return missing(err)
	}
	defer resp.Body.Close()
	o := Object{Generation: resp.Header.Get("X-Goog-Generation")}
	if o.At, err = date(resp); err != nil {
		return o, err
	}
	if o.Generation == "" {
		return o, &Error{Meaning: Unfit, Message: "an answer without a generation", Hint: useGoogle}
	}
	if o.Data, err = io.ReadAll(io.LimitReader(resp.Body, most+1)); err == nil && int64(len(o.Data)) > most {
		err = &Error{Meaning: Unfit, Message: fmt.Sprintf("it has more than %d bytes", most), Hint: "nothing else may write to it"}
	}
	return o, err
}

// Stat reads generation and time of creation. An object that is missing is no error.
func (b Bucket) Stat(ctx context.Context, name string) (Object, error) {
	resp, err := b.send(ctx, http.MethodGet, "/storage/v1", "/o/"+url.PathEscape(name), url.Values{"fields": {"generation,timeCreated"}}, nil, "")
	if err != nil {
		return missing(err)
	}
	var body struct {
		Generation  string
		TimeCreated time.Time
	}
	if err = decode(resp, &body); err != nil {
		return Object{}, err
	}
	o := Object{Generation: body.Generation, Created: body.TimeCreated}
	if o.Generation == "" || o.Created.IsZero() {
		return o, &Error{Meaning: Unfit, Message: "an object without generation or timeCreated", Hint: useGoogle}
	}
	o.At, err = date(resp)
	return o, err
}

// Write writes an object in the place of the one with this generation, or of none where
// it is "". It returns the Date of the answer.
func (b Bucket) Write(ctx context.Context, name, generation, contentType string, data []byte) (time.Time, error) {
	body, boundary, err := upload(name, contentType, data)
	if err != nil {
		return time.Time{}, err
	}
	resp, err := b.send(ctx, http.MethodPost, "/upload/storage/v1", "/o", url.Values{
		"uploadType": {"multipart"}, "ifGenerationMatch": {cmp.Or(generation, "0")}, "fields": {"generation"},
	}, body, "multipart/related; boundary="+boundary)
	if err != nil {
		return time.Time{}, err
	}
	if err := decode(resp, new(struct{})); err != nil {
		return time.Time{}, err
	}
	at, err := date(resp)
	if err != nil {
		return at, fmt.Errorf("written, but: %w", errors.New(err.Error())) // a doubt, not what err means for a read
	}
	return at, nil
}

// upload is the body of a write: a part that describes the object, and its data. No
// cache may keep it: without that, one in front of a public bucket does for an hour.
func upload(name, contentType string, data []byte) (body []byte, boundary string, err error) {
	about, err := json.Marshal(map[string]string{"name": name, "contentType": contentType, "cacheControl": "no-store"})
	if err != nil {
		return nil, "", err
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, part := range []struct {
		contentType string
		data        []byte
	}{{"application/json; charset=UTF-8", about}, {contentType, data}} {
		p, err := w.CreatePart(textproto.MIMEHeader{"Content-Type": {part.contentType}})
		if err != nil {
			return nil, "", err
		}
		_, _ = p.Write(part.data) // to memory
	}
	err = w.Close() // writes the end
	return b.Bytes(), w.Boundary(), err
}

// List lists up to limit names that begin with prefix and come after the given one. It
// lists one at least where there is one; more says that there may be others.
func (b Bucket) List(ctx context.Context, prefix, after string, limit int) (names []string, more bool, err error) {
	const most = 1000 // of what one request lists
	q := url.Values{
		"prefix": {prefix}, "startOffset": {after}, "fields": {"items/name,nextPageToken"},
		"maxResults": {fmt.Sprint(min(limit+1, most))}, // startOffset is listed too
	}
	for {
		var page struct {
			Items         []struct{ Name string }
			NextPageToken string
		}
		resp, err := b.send(ctx, http.MethodGet, "/storage/v1", "/o", q, nil, "")
		if err == nil {
			err = decode(resp, &page)
		}
		if err != nil {
			return nil, false, err
		}
		for _, o := range page.Items {
			if o.Name != after && len(names) < limit {
				names = append(names, o.Name)
			}
		}
		if len(names) > 0 || page.NextPageToken == "" {
			return names, page.NextPageToken != "" || len(page.Items) > limit, nil
		}
		q.Set("pageToken", page.NextPageToken)
	}
}

// send sends one request, about the bucket or what is in it. An answer that is no
// success is an *Error.
func (b Bucket) send(ctx context.Context, method, api, path string, q url.Values, body []byte, contentType string) (*http.Response, error) {
	where := strings.TrimSuffix(cmp.Or(b.Endpoint, Endpoint), "/") + api + "/b/" + url.PathEscape(b.Name) + path
	r, err := http.NewRequestWithContext(ctx, method, where+"?"+q.Encode(), bytes.NewReader(body))
	if err != nil {
		return nil, &Error{Meaning: Unfit, Message: err.Error(), Hint: "give the endpoint as https://host"}
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	resp, err := b.Client.Do(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer resp.Body.Close()
		return nil, failure(resp, b.Name)
	}
	return resp, nil
}

// decode reads the whole of a JSON answer.
func decode(resp *http.Response, v any) error {
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, 16<<20))
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	return err
}

// date is the endpoint's time, of an answer that comes from the endpoint itself.
func date(resp *http.Response) (time.Time, error) {
	at, err := http.ParseTime(resp.Header.Get("Date"))
	switch {
	case err != nil:
		return at, &Error{Meaning: Unfit, Message: "an answer without a Date", Hint: useGoogle}
	case resp.Header.Get("Age") != "":
		return at, &Error{Meaning: Unfit, Message: "a cache answers for the endpoint", Hint: "reach the endpoint directly"}
	}
	return at, nil
}
