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
	"github.com/ringfence-go/ringfence/store/casstore"
)

// Client is what the store needs of an *s3.Client. An implementation must give the
// results of one that it wraps as they are, with their metadata: the time is in it.
type Client interface {
	GetObject(context.Context, *s3.GetObjectInput, ...func(*s3.Options)) (*s3.GetObjectOutput, error)
	PutObject(context.Context, *s3.PutObjectInput, ...func(*s3.Options)) (*s3.PutObjectOutput, error)
	ListObjectsV2(context.Context, *s3.ListObjectsV2Input, ...func(*s3.Options)) (*s3.ListObjectsV2Output, error)
}

// place is a bucket of S3 as a casstore.Bucket.
type place struct {
	client Client
	bucket string
}

// maxBody bounds what is read of an object: a record has at most 8 KiB.
const maxBody = 64 << 10

// once keeps the client from repeating a request by itself: its last error would not
// say whether an earlier try had arrived.
func once(o *s3.Options) { o.Retryer = aws.NopRetryer{} }

// Get implements casstore.Bucket.
func (p place) Get(ctx context.Context, key string) (o casstore.Object, err error) {
	out, err := p.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &p.bucket, Key: &key}, once)
	if isMissing(err) {
		o.At, err = dateOfError(err)
		return o, err
	}
	if err != nil {
		return o, classify(err)
	}
	defer out.Body.Close()
	o.Version, o.Wrote = aws.ToString(out.ETag), aws.ToTime(out.LastModified)
	if o.Data, err = io.ReadAll(io.LimitReader(out.Body, maxBody)); err != nil {
		return o, err
	}
	if o.Version == "" || o.Wrote.IsZero() {
		return o, refuse(errors.New("the endpoint answers without ETag or Last-Modified"), unfitEndpoint)
	}
	o.At, err = dateOf(out.ResultMetadata)
	return o, err
}

// Put implements casstore.Bucket.
func (p place) Put(ctx context.Context, key, etag string, data []byte) (time.Time, error) {
	in := &s3.PutObjectInput{
		Bucket: &p.bucket, Key: &key, Body: bytes.NewReader(data),
		ContentType: aws.String("application/json"), CacheControl: aws.String("no-store"),
	}
	if etag == "" {
		in.IfNoneMatch = aws.String("*")
	} else {
		in.IfMatch = &etag
	}
	out, err := p.client.PutObject(ctx, in, once)
	if err != nil {
		return time.Time{}, classify(err)
	}
	at, err := dateOf(out.ResultMetadata)
	if err != nil {
		err = &driver.Fault{Kind: driver.ErrUnknown, Err: err} // it was written
	}
	return at, err
}

// List implements casstore.Bucket.
func (p place) List(ctx context.Context, prefix, after string, limit int) (keys []string, more bool, err error) {
	out, err := p.client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{
		Bucket: &p.bucket, Prefix: &prefix, StartAfter: &after, MaxKeys: aws.Int32(int32(limit)),
	}, once)
	if err != nil {
		return nil, false, classify(err)
	}
	for _, o := range out.Contents {
		keys = append(keys, aws.ToString(o.Key))
	}
	return keys, aws.ToBool(out.IsTruncated), nil
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
