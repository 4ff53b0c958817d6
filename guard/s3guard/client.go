package s3guard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/casguard"
)

// Client is what the guard needs of an *s3.Client.
type Client interface {
	GetObject(context.Context, *s3.GetObjectInput, ...func(*s3.Options)) (*s3.GetObjectOutput, error)
	PutObject(context.Context, *s3.PutObjectInput, ...func(*s3.Options)) (*s3.PutObjectOutput, error)
}

// place is a bucket of S3 as a casguard.Bucket.
type place struct {
	client Client
	bucket string
}

// once keeps the client from repeating a request by itself: its last error would not
// say whether an earlier try had arrived.
func once(o *s3.Options) { o.Retryer = aws.NopRetryer{} }

// Get implements casguard.Bucket.
func (p place) Get(ctx context.Context, key string) (o casguard.Object, err error) {
	out, err := p.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &p.bucket, Key: &key}, once)
	if r, missing := isMissing(err); missing {
		o.At, err = date(r)
		return o, err
	}
	if err != nil {
		return o, classify(err)
	}
	defer out.Body.Close()
	const most = casguard.MaxBytes + casguard.MaxHeader
	o.Version = aws.ToString(out.ETag)
	if o.Data, err = io.ReadAll(io.LimitReader(out.Body, most+1)); err != nil {
		return o, err
	}
	if len(o.Data) > most {
		return o, unfit(fmt.Errorf("it has more than %d bytes", casguard.MaxBytes), "nothing but a guard may write to the object")
	}
	raw, _ := awsmiddleware.GetRawResponse(out.ResultMetadata).(*smithyhttp.Response)
	o.At, err = date(raw)
	return o, err
}

func date(r *smithyhttp.Response) (at time.Time, err error) {
	if r != nil {
		at, err = http.ParseTime(r.Header.Get("Date"))
	}
	if r == nil || err != nil {
		return at, unfit(errors.New("an answer without a Date"), "hand in an *s3.Client of an S3 endpoint")
	}
	return at, nil
}

func unfit(err error, hint string) error {
	return &guard.Error{Kind: guard.ErrUnfit, Err: err, Hint: hint}
}

// Put implements casguard.Bucket.
func (p place) Put(ctx context.Context, key, etag string, data []byte) error {
	in := &s3.PutObjectInput{Bucket: &p.bucket, Key: &key, Body: bytes.NewReader(data), CacheControl: aws.String("no-store")}
	if etag == "" {
		in.IfNoneMatch = aws.String("*")
	} else {
		in.IfMatch = &etag
	}
	_, err := p.client.PutObject(ctx, in, once)
	return classify(err)
}
