package casstore

import (
	"context"
	"fmt"
	"time"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Options say what a bucket is like, and how a store is opened. A nil *Options means
// the defaults, which fit a service that tells the time as HTTP does.
type Options struct {
	// Prefix begins every key. Nothing else may write below it. Defaults to "".
	Prefix string

	// Clock says whose clock Object.At is. Defaults to "the bucket's, as its answers
	// show it".
	Clock string

	// Unit is the resolution of that clock: an answer leaves out up to one unit of the
	// time. The shortest lease is three units, and a second at least. From a millisecond
	// to a minute. Defaults to 1 second.
	Unit time.Duration

	// Apart is how far Object.Wrote and Object.At may be apart for one moment, since
	// several servers of a service answer. Defaults to 2 seconds.
	Apart time.Duration

	// Patience is how long one request may take before the store asks what came of it.
	// 2 seconds or more. Defaults to 5 seconds.
	Patience time.Duration

	// RefuseNewIdentity makes the store refuse to grant after its own record was lost,
	// until an operator has raised the floor. Defaults to false: it goes on a minute
	// beyond the bucket's clock.
	RefuseNewIdentity bool
}

// checked is o with its defaults, if a store can be made with it.
func (o *Options) checked(bucket Bucket, label string) (Options, error) {
	full := Options{}
	if o != nil {
		full = *o
	}
	if bucket == nil || label == "" {
		return full, fmt.Errorf("%w call of package casstore: it needs a bucket and a label", fence.ErrInvalid)
	}
	if full.Clock == "" {
		full.Clock = "the bucket's, as its answers show it"
	}
	for _, d := range []struct {
		name           string
		value          *time.Duration
		least, most, d time.Duration
	}{
		{"Unit", &full.Unit, time.Millisecond, time.Minute, time.Second},
		{"Apart", &full.Apart, time.Millisecond, time.Hour, 2 * time.Second},
		{"Patience", &full.Patience, prompt, time.Hour, 5 * time.Second},
	} {
		if *d.value == 0 {
			*d.value = d.d
		}
		if *d.value < d.least || *d.value > d.most {
			return full, fmt.Errorf("%w option %s %s of casstore: want %s to %s", fence.ErrInvalid, d.name, *d.value, d.least, d.most)
		}
	}
	return full, nil
}

// New returns a store in a bucket that exists, named by label in errors and logs. It
// writes a few times to a key of its own, to see that the bucket honours conditions and
// tells the time. The bucket stays the caller's. The error is driver.ErrUnavailable
// where the bucket could not be asked, and driver.ErrUnfit where it can't host leases.
func New(ctx context.Context, bucket Bucket, label string, o *Options) (*Store, error) {
	full, err := o.checked(bucket, label)
	if err != nil {
		return nil, err
	}
	s := newStore(bucket, label, full)
	if err := s.open(ctx); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// open probes the bucket, and makes the store's own record where there is none.
func (s *Store) open(ctx context.Context) error {
	_, err := run(ctx, s, "open the store", func(ctx context.Context) (struct{}, error) {
		if err := s.probe(ctx); err != nil {
			return struct{}{}, before(err)
		}
		f, _, err := s.currentFloor(ctx)
		if err == nil {
			_ = s.accept(f) // a refusal is for whoever asks for a grant; an operator may raise the floor
		}
		return struct{}{}, before(err)
	})
	return err
}

var (
	_ driver.Lister    = (*Store)(nil)
	_ driver.Breaker   = (*Store)(nil)
	_ driver.Recoverer = (*Store)(nil)
)
