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
)

// Client is what the guard needs of an *s3.Client.
type Client interface {
	GetObject(context.Context, *s3.GetObjectInput, ...func(*s3.Options)) (*s3.GetObjectOutput, error)
	PutObject(context.Context, *s3.PutObjectInput, ...func(*s3.Options)) (*s3.PutObjectOutput, error)
}

// MaxBytes is the length of the longest data that a guarded object holds.
const MaxBytes = 16 << 20

// maxHeader bounds the line before the data.
const maxHeader = 16 << 10

// object is what a read found at a key.
type object struct {
	data []byte
	etag string    // "" where there is none
	at   time.Time // the endpoint's Date
}

// once keeps the client from repeating a request by itself: its last error would not
// say whether an earlier try had arrived.
func once(o *s3.Options) { o.Retryer = aws.NopRetryer{} }

// get reads an object. One that is missing is no error. Its error is a failure.
func (g *Guard) get(ctx context.Context, key string) (object, error) {
	ctx, cancel := context.WithTimeout(ctx, g.o.Try)
	defer cancel()
	out, err := g.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &g.bucket, Key: &key}, once)
	if err != nil {
		f := judge(err)
		if answer := (*smithyhttp.ResponseError)(nil); f.missing && errors.As(err, &answer) {
			at, err := date(answer.Response)
			return object{at: at}, err
		}
		return object{}, unsent(err)
	}
	defer out.Body.Close()
	data, err := io.ReadAll(io.LimitReader(out.Body, MaxBytes+maxHeader+1))
	if err != nil {
		return object{}, unsent(err)
	}
	if len(data) > MaxBytes+maxHeader {
		return object{}, failure{kind: guard.ErrUnfit, err: fmt.Errorf("it has more than %d bytes", MaxBytes), hint: foreign}
	}
	raw, _ := awsmiddleware.GetRawResponse(out.ResultMetadata).(*smithyhttp.Response)
	at, err := date(raw)
	return object{data: data, etag: aws.ToString(out.ETag), at: at}, err
}

func date(r *smithyhttp.Response) (at time.Time, err error) {
	if r != nil {
		at, err = http.ParseTime(r.Header.Get("Date"))
	}
	if r == nil || err != nil {
		return at, failure{kind: guard.ErrUnfit, err: errors.New("an answer without a Date"), hint: "hand in an *s3.Client of an S3 endpoint"}
	}
	return at, nil
}

// put writes an object in the place of the one with this ETag, or of none where it
// is "". Its error is a failure.
func (g *Guard) put(ctx context.Context, key, etag string, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, g.o.Try)
	defer cancel()
	in := &s3.PutObjectInput{Bucket: &g.bucket, Key: &key, Body: bytes.NewReader(data), CacheControl: aws.String("no-store")}
	if etag == "" {
		in.IfNoneMatch = aws.String("*")
	} else {
		in.IfMatch = &etag
	}
	if _, err := g.client.PutObject(ctx, in, once); err != nil {
		return judge(err)
	}
	return nil
}
