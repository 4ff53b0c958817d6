package s3store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/ringfence-go/ringfence/driver"
)

// Client is what the store needs of an *s3.Client. An implementation must give the
// results of one that it wraps as they are, with their metadata: the time is in it.
type Client interface {
	GetObject(context.Context, *s3.GetObjectInput, ...func(*s3.Options)) (*s3.GetObjectOutput, error)
	PutObject(context.Context, *s3.PutObjectInput, ...func(*s3.Options)) (*s3.PutObjectOutput, error)
	ListObjectsV2(context.Context, *s3.ListObjectsV2Input, ...func(*s3.Options)) (*s3.ListObjectsV2Output, error)
}

const (
	// patience is how long one request may take before the store asks what came of it.
	patience = 5 * time.Second
	// maxBody bounds what is read of an object: a record has at most 8 KiB.
	maxBody = 64 << 10
)

// object is what a read found at a key.
type object struct {
	found    bool
	data     []byte
	etag     string
	modified time.Time // Last-Modified, stamped by the endpoint when it was written
	at       time.Time // the endpoint's Date, which never lies before modified
}

// once keeps the client from repeating a request by itself: its last error would not
// say whether an earlier try had arrived.
func once(o *s3.Options) { o.Retryer = aws.NopRetryer{} }

// get reads an object. One that is missing is no error.
func (s *Store) get(ctx context.Context, key string) (object, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &s.bucket, Key: &key}, once)
	if err != nil {
		if judge(err).missing {
			at, dateErr := dateOfError(err)
			return object{at: at}, dateErr
		}
		return object{}, before(err)
	}
	defer out.Body.Close()
	o := object{found: true, etag: aws.ToString(out.ETag), modified: aws.ToTime(out.LastModified)}
	if o.data, err = io.ReadAll(io.LimitReader(out.Body, maxBody)); err != nil {
		return object{}, before(err)
	}
	if o.at, err = dateOf(out.ResultMetadata); err != nil {
		return object{}, err
	}
	if o.etag == "" || o.modified.IsZero() {
		return object{}, refuse(errors.New("the endpoint answers without ETag or Last-Modified"), unfitEndpoint)
	}
	if o.at.Before(o.modified) { // another server of the endpoint wrote it, with a clock ahead
		o.at = o.modified
	}
	return o, nil
}

// put writes an object in the place of the one with this ETag, or of none where it
// is "". It returns the endpoint's Date, which is not before the write.
func (s *Store) put(ctx context.Context, key, etag string, data []byte) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	in := &s3.PutObjectInput{
		Bucket: &s.bucket, Key: &key, Body: bytes.NewReader(data),
		ContentType: aws.String("application/json"), CacheControl: aws.String("no-store"),
	}
	if etag == "" {
		in.IfNoneMatch = aws.String("*")
	} else {
		in.IfMatch = &etag
	}
	out, err := s.client.PutObject(ctx, in, once)
	if err != nil {
		return time.Time{}, err
	}
	at, err := dateOf(out.ResultMetadata)
	if err != nil {
		err = ruling{kind: driver.ErrUnknown, err: err, hint: resolveHint}
	}
	return at, err
}

func dateOf(m middleware.Metadata) (time.Time, error) {
	raw, ok := awsmiddleware.GetRawResponse(m).(*smithyhttp.Response)
	if !ok || raw == nil {
		return time.Time{}, refuse(errors.New("the client hides the endpoint's answer"), "hand in an *s3.Client, or a wrapper that keeps ResultMetadata")
	}
	return date(raw.Header)
}

func dateOfError(err error) (time.Time, error) {
	var answer *smithyhttp.ResponseError
	if !errors.As(err, &answer) || answer.Response == nil {
		return time.Time{}, refuse(errors.New("the client hides the endpoint's answer"), "hand in an *s3.Client")
	}
	return date(answer.Response.Header)
}

func date(h http.Header) (time.Time, error) {
	at, err := http.ParseTime(h.Get("Date"))
	switch {
	case err != nil:
		return time.Time{}, refuse(errors.New("the endpoint answers without a Date"), unfitEndpoint)
	case h.Get("Age") != "":
		return time.Time{}, refuse(errors.New("a cache answers for the endpoint"), "reach the endpoint directly")
	}
	return at, nil
}
