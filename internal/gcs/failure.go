package gcs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Error is an answer that is no success, and what it means for whoever asked.
type Error struct {
	Meaning Meaning
	Status  int    // of HTTP; 0 for an answer that can't be used
	Reason  string // a word of the service
	Message string
	Hint    string // what to do, where that is known

	at      time.Time // the Date of the answer
	undated error     // why it has none that counts
}

// Meaning is what an answer means for a write.
type Meaning uint8

// The meanings. The zero Meaning is a doubt.
const (
	Unknown Meaning = iota // it may have been applied
	Moved                  // not applied: the condition did not hold
	Busy                   // not applied, for other writes just before or at the same time
	Unfit                  // not applied, and it will not mend by itself
)

func (e *Error) Error() string {
	s := strings.TrimSpace(e.Reason + " " + e.Message)
	if e.Status != 0 {
		s = fmt.Sprintf("answer %d: %s", e.Status, s)
	}
	return s
}

const (
	useGoogle = "reach Google Cloud Storage itself, or what docs/stores/gcs.md names"
	rights    = "give the identity storage.objects.get, create, delete (which replacing takes) and list on the bucket: the role Storage Object User"
)

// noBucket is how the service says that a bucket, and not an object, is missing.
const noBucket = "bucket does not exist"

// busy are the reasons by which the service asks to be written to more slowly.
var busy = []string{"rateLimitExceeded", "userRateLimitExceeded"}

// failure reads an answer that is no success.
func failure(resp *http.Response, bucket string) *Error {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	e := &Error{Status: resp.StatusCode, Message: strings.TrimSpace(string(text))}
	var body struct {
		Error struct {
			Message string
			Errors  []struct{ Reason string }
		}
	}
	if json.Unmarshal(text, &body) == nil && body.Error.Message != "" {
		if e.Message = body.Error.Message; len(body.Error.Errors) > 0 {
			e.Reason = body.Error.Errors[0].Reason
		}
	}
	const most = 300
	e.Message = e.Message[:min(len(e.Message), most)]
	e.at, e.undated = date(resp)
	e.mean(bucket)
	return e
}

// mean rules on the answer.
func (e *Error) mean(bucket string) {
	switch e.Meaning = Unfit; {
	case e.Status == http.StatusNotFound: // an object that is missing is no error of a read, and fails the condition of a write
		e.Hint = fmt.Sprintf("make the bucket %q, or name another one", bucket)
	case e.Status == http.StatusPreconditionFailed:
		e.Meaning = Moved
	case e.Status == http.StatusTooManyRequests, e.Status == http.StatusConflict, slices.Contains(busy, e.Reason):
		e.Meaning = Busy
	case strings.Contains(e.Reason, "retentionPolicyNotMet"), strings.Contains(e.Reason, "objectUnderActiveHold"):
		e.Hint = "use a bucket without a retention policy and without holds: every step replaces an object"
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusForbidden:
		e.Hint = rights
	case e.Status >= 500, e.Status == http.StatusRequestTimeout:
		e.Meaning = Unknown
	case e.Status < 400, e.Status == http.StatusMethodNotAllowed:
		e.Hint = useGoogle
	}
}

// missing makes an object that there is none of the error of a read that says so.
func missing(err error) (Object, error) {
	var e *Error
	if !errors.As(err, &e) || e.Status != http.StatusNotFound || strings.Contains(e.Message, noBucket) {
		return Object{}, err
	}
	return Object{At: e.at}, e.undated
}
