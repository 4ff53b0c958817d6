package gcsstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/gcs"
	"github.com/ringfence-go/ringfence/store/casstore"
)

// place is a bucket of Google Cloud Storage as a casstore.Bucket.
type place struct{ bucket gcs.Bucket }

const (
	// maxBody bounds what is read of an object: a record has at most 8 KiB.
	maxBody = 64 << 10
	// maxTorn is how often a read may meet two generations.
	maxTorn = 5
)

// Get implements casstore.Bucket. What is in an object and when it was made take a
// request each. They are sent at once, and again where they meet two generations.
func (p place) Get(ctx context.Context, key string) (casstore.Object, error) {
	for range maxTorn {
		var data, stat gcs.Object
		var statErr error
		var both sync.WaitGroup
		both.Go(func() { stat, statErr = p.bucket.Stat(ctx, key) })
		data, err := p.bucket.Read(ctx, key, maxBody)
		both.Wait()
		if err != nil || statErr != nil {
			return casstore.Object{}, classify(firstUnfit(err, statErr))
		}
		if data.Generation == stat.Generation {
			at := data.At // one generation was there at both times
			if at.Before(stat.At) {
				at = stat.At
			}
			return casstore.Object{Version: data.Generation, Data: data.Data, Wrote: stat.Created, At: at}, nil
		}
	}
	return casstore.Object{}, casstore.ErrBusy
}

// firstUnfit is the error that says more.
func firstUnfit(a, b error) error {
	var e *gcs.Error
	if a == nil || errors.As(b, &e) && e.Meaning == gcs.Unfit {
		return b
	}
	return a
}

// Put implements casstore.Bucket.
func (p place) Put(ctx context.Context, key, generation string, data []byte) (time.Time, error) {
	at, err := p.bucket.Write(ctx, key, generation, "application/json", data)
	return at, classify(err)
}

// List implements casstore.Bucket.
func (p place) List(ctx context.Context, prefix, after string, limit int) ([]string, bool, error) {
	keys, more, err := p.bucket.List(ctx, prefix, after, limit)
	return keys, more, classify(err)
}

var kinds = map[gcs.Meaning]error{
	gcs.Unknown: driver.ErrUnknown, gcs.Moved: casstore.ErrMoved, gcs.Busy: casstore.ErrBusy,
	gcs.Unfit: driver.ErrUnfit,
}

// classify says what a failed answer means, in the words of casstore.Bucket. What is no
// answer stays as it is: a doubt, or a connection that was not made.
func classify(err error) error {
	var e *gcs.Error
	if !errors.As(err, &e) {
		return err
	}
	return &driver.Fault{Kind: kinds[e.Meaning], Err: err, Hint: e.Hint}
}
