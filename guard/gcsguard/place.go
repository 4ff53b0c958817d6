package gcsguard

import (
	"context"
	"errors"

	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/casguard"
	"github.com/ringfence-go/ringfence/internal/gcs"
)

// place is a bucket of Google Cloud Storage as a casguard.Bucket.
type place struct{ bucket gcs.Bucket }

// Get implements casguard.Bucket.
func (p place) Get(ctx context.Context, key string) (casguard.Object, error) {
	o, err := p.bucket.Read(ctx, key, casguard.MaxBytes+casguard.MaxHeader)
	return casguard.Object{Version: o.Generation, Data: o.Data, At: o.At}, classify(err)
}

// Put implements casguard.Bucket.
func (p place) Put(ctx context.Context, key, generation string, data []byte) error {
	_, err := p.bucket.Write(ctx, key, generation, "application/octet-stream", data)
	return classify(err)
}

var kinds = map[gcs.Meaning]error{
	gcs.Unknown: guard.ErrUnknown, gcs.Moved: guard.ErrRetry, gcs.Busy: guard.ErrRetry,
	gcs.Unfit: guard.ErrUnfit,
}

// classify says what a failed answer means, in the words of casguard.Bucket. What is no
// answer stays as it is: a doubt, or a connection that was not made.
func classify(err error) error {
	var e *gcs.Error
	if !errors.As(err, &e) {
		return err
	}
	return &guard.Error{Kind: kinds[e.Meaning], Err: err, Hint: e.Hint}
}
