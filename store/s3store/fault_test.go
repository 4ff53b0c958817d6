package s3store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/s3store"
)

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

// stubborn is a client that retries by itself, whatever the store asks for.
type stubborn struct{ *s3.Client }

func (c stubborn) PutObject(ctx context.Context, in *s3.PutObjectInput, _ ...func(*s3.Options)) (*s3.PutObjectOutput, error) {
	return c.Client.PutObject(ctx, in)
}

func TestLostAnswers(t *testing.T) {
	t.Parallel()
	for name, retries := range map[string]bool{"the store asks again": false, "the client asks again": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := startServer(t)
			var client s3store.Client = server.client()
			if retries {
				client = stubborn{server.client()}
			}
			s, err := s3store.Open(t.Context(), client, bucket, nil)
			if err != nil {
				t.Fatal(err)
			}
			server.loseAnswers(1)
			term := take(t, s, "a", time.Minute)
			server.loseAnswers(1)
			if renewed, err := s.Renew(t.Context(), term, time.Hour); err != nil || renewed.Remaining < 50*time.Minute {
				t.Errorf("renew: %+v, %v", renewed, err)
			}
			server.loseAnswers(1)
			if err := s.Release(t.Context(), term); err != nil {
				t.Errorf("release whose answer was lost: %v; want that it succeeded", err)
			}
			wantEnded(t, s.Release(t.Context(), term), driver.EndReleased)
		})
	}
}

func TestConflictIsRepeated(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	s := server.open(t, nil)
	tries := 0
	server.onPut(func(w http.ResponseWriter, _ *http.Request) bool {
		if tries++; tries > 2 {
			return true
		}
		fail(w, http.StatusConflict, "ConditionalRequestConflict")
		return false
	})
	take(t, s, "a", time.Minute)
	if tries != 3 {
		t.Errorf("%d writes; want 3", tries)
	}
}

func fail(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>no</Message></Error>", code)
}

func TestErrorsOfTheEndpoint(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		code   string
		want   error
		says   string
	}{
		{http.StatusForbidden, "AccessDenied", driver.ErrUnfit, "s3:PutObject"},
		{http.StatusNotFound, "NoSuchBucket", driver.ErrUnfit, "make the bucket"},
		{http.StatusNotImplemented, "NotImplemented", driver.ErrUnfit, "conditional writes"},
		{http.StatusMovedPermanently, "PermanentRedirect", driver.ErrUnfit, "region"},
		{http.StatusServiceUnavailable, "SlowDown", driver.ErrUnavailable, "SlowDown"},
		{http.StatusForbidden, "RequestTimeTooSkewed", driver.ErrUnavailable, "clock"},
		{http.StatusBadRequest, "ExpiredToken", driver.ErrUnavailable, "credentials for the bucket"},
		{http.StatusForbidden, "InvalidObjectState", driver.ErrUnfit, "was archived"},
		{http.StatusForbidden, "InvalidAccessKeyId", driver.ErrUnfit, "credentials for the bucket"},
		{http.StatusForbidden, "SignatureDoesNotMatch", driver.ErrUnfit, "credentials for the bucket"},
		{http.StatusInternalServerError, "InternalError", driver.ErrUnknown, "same attempt"},
	} {
		t.Run(c.code, func(t *testing.T) {
			t.Parallel()
			server := startServer(t)
			s := server.open(t, nil)
			writes := 0
			server.onPut(func(w http.ResponseWriter, _ *http.Request) bool {
				writes++
				fail(w, c.status, c.code)
				return false
			})
			_, err := s.Acquire(t.Context(), request("a", time.Minute))
			wantError(t, err, c.want, c.says)
			if strings.Contains(err.Error(), "s3cret") || writes > 5 { // more, if the client repeated them too
				t.Errorf("after %d writes: %v; want at most 5, and no secret", writes, err)
			}
		})
	}
}

func TestEndpointThatIsDown(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	s := server.open(t, nil)
	term := take(t, s, "a", time.Minute)
	server.http.CloseClientConnections()
	server.http.Close()
	_, err := s.Renew(t.Context(), term, time.Minute)
	wantError(t, err, driver.ErrUnavailable, "leases")
}

// unreachable fails to connect for writes.
type unreachable struct{ http.RoundTripper }

func (u unreachable) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPut {
		return nil, &net.OpError{Op: "dial", Err: errors.New("refused")}
	}
	return u.RoundTripper.RoundTrip(r)
}

func TestWriteThatCannotBeSent(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	server.open(t, nil)
	working := &http.Client{Transport: http.DefaultTransport}
	s, err := s3store.Open(t.Context(), server.client(func(o *s3.Options) { o.HTTPClient = working }), bucket, nil)
	if err != nil {
		t.Fatal(err)
	}
	working.Transport = unreachable{http.DefaultTransport}
	_, err = s.Acquire(t.Context(), request("a", time.Minute))
	wantError(t, err, driver.ErrUnavailable, "refused")
}

// TestCredentialsThatCannotBeHad: a machine without a role answers 404 where it is asked
// for credentials, which is not the endpoint's word that there is no such object.
func TestCredentialsThatCannotBeHad(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	s := server.open(t, nil)
	term := take(t, s, "a", time.Minute)
	for _, status := range []int{http.StatusNotFound, http.StatusForbidden, http.StatusPreconditionFailed} {
		without := server.client(func(o *s3.Options) { o.Credentials = noRole(status) })
		_, err := s3store.Open(t.Context(), without, bucket, nil)
		wantError(t, err, driver.ErrUnavailable, "credentials for the bucket")
		_, err = s3store.Examine(t.Context(), without, bucket, nil)
		wantError(t, err, driver.ErrUnavailable, "credentials for the bucket")
	}
	if err := s.Release(t.Context(), term); err != nil {
		t.Error(err)
	}
}

// noRole fails as the instance metadata service of a machine without a role does.
func noRole(status int) aws.CredentialsProviderFunc {
	return func(context.Context) (aws.Credentials, error) {
		said := &http.Response{StatusCode: status, Header: http.Header{"Date": {time.Now().UTC().Format(http.TimeFormat)}}}
		return aws.Credentials{}, &smithy.OperationError{ServiceID: "ec2imds", OperationName: "GetMetadata",
			Err: &smithyhttp.ResponseError{Response: &smithyhttp.Response{Response: said}, Err: errors.New("request failed")}}
	}
}

func TestEndpointsThatCannotHostLeases(t *testing.T) {
	t.Parallel()
	without := func(header string) func(http.ResponseWriter, *http.Request) bool {
		return func(_ http.ResponseWriter, r *http.Request) bool { r.Header.Del(header); return true }
	}
	for says, spoil := range map[string]func(*server){
		"against the condition that there is no value": func(s *server) { s.before = without("If-None-Match") },
		"against the condition of a version":           func(s *server) { s.before = without("If-Match") },
		"by another clock than that of its answers":    func(s *server) { s.ahead = time.Hour },
		"without a Date": func(s *server) {
			s.before = func(w http.ResponseWriter, _ *http.Request) bool { w.Header()["Date"] = []string{}; return true }
		},
		"a cache answers": func(s *server) {
			s.before = func(w http.ResponseWriter, _ *http.Request) bool { w.Header().Set("Age", "3"); return true }
		},
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			server := startServer(t)
			server.set(func() { spoil(server) })
			_, err := s3store.Open(t.Context(), server.client(), bucket, nil)
			wantError(t, err, driver.ErrUnfit, says)
		})
	}
	_, err := s3store.Open(t.Context(), startServer(t).client(), "missing", nil)
	wantError(t, err, driver.ErrUnfit, "make the bucket")
}

func TestObjectsOfAnother(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	s := server.open(t, nil)
	take(t, s, "a", time.Minute)
	keys := server.keys(t, "/lease/")
	copied, err := server.client().GetObject(t.Context(), &s3.GetObjectInput{Bucket: ptr(bucket), Key: &keys[0]})
	if err != nil {
		t.Fatal(err)
	}
	record, err := io.ReadAll(copied.Body)
	if err != nil {
		t.Fatal(err)
	}
	take(t, s, "b", time.Minute)
	b := server.keys(t, "/lease/")[1]
	for says, text := range map[string]string{"is that of": string(record), "not one of Ringfence": "{}"} {
		if _, err := server.client().PutObject(t.Context(), &s3.PutObjectInput{Bucket: ptr(bucket), Key: &b, Body: strings.NewReader(text)}); err != nil {
			t.Fatal(err)
		}
		_, err = s.Acquire(t.Context(), request("b", time.Minute))
		wantError(t, err, driver.ErrUnfit, says)
		_, err = s.List(t.Context(), "", "", 10)
		wantError(t, err, driver.ErrUnfit, "not a record of Ringfence")
	}
}

func ptr(s string) *string { return &s }
