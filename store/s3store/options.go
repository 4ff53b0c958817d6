package s3store

import (
	"context"
	"fmt"
	"regexp"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/store/casstore"
)

// Store hosts leases in a bucket. It implements driver.Store, driver.Lister,
// driver.Breaker and driver.Recoverer.
type Store = casstore.Store

// Options change how a store is opened. A nil *Options means the defaults.
type Options struct {
	// Prefix begins every key. Nothing else may write below it. Up to 200 letters,
	// digits and any of ! - _ . ' ( ) /. Defaults to "ringfence/".
	Prefix string

	// Label names the store for people, in errors and logs. Defaults to the bucket
	// and the prefix.
	Label string

	// RefuseNewIdentity makes the store refuse to grant after its own record was
	// lost, until an operator has raised the floor. Defaults to false: it goes on a
	// minute beyond the endpoint's clock.
	RefuseNewIdentity bool
}

var goodPrefix = regexp.MustCompile(`^[A-Za-z0-9!\-_.'()/]{1,200}$`)

func (o *Options) withDefaults(client Client, bucket string) (Options, error) {
	full := Options{}
	if o != nil {
		full = *o
	}
	if full.Prefix == "" {
		full.Prefix = "ringfence/"
	}
	if full.Label == "" {
		full.Label = fmt.Sprintf("S3 bucket %q at %q", bucket, full.Prefix)
	}
	switch {
	case client == nil || bucket == "":
		return full, fmt.Errorf("%w call of package s3store: it needs a client and the name of a bucket", fence.ErrInvalid)
	case !goodPrefix.MatchString(full.Prefix):
		return full, fmt.Errorf("%w option Prefix %s: want up to 200 letters, digits and !-_.'()/", fence.ErrInvalid, fence.Quote(full.Prefix))
	}
	return full, nil
}

// Open returns a store in a bucket that exists. It writes a few times to an object
// of its own, to see that the endpoint honours conditional writes and tells the
// time. The client stays the caller's. The error is driver.ErrUnavailable where the
// endpoint could not be asked, and driver.ErrUnfit where it or the bucket can't
// host leases; its text says what to do.
func Open(ctx context.Context, client Client, bucket string, o *Options) (*Store, error) {
	full, err := o.withDefaults(client, bucket)
	if err != nil {
		return nil, err
	}
	return casstore.New(ctx, place{client, bucket}, full.Label, full.cas())
}

// cas is what package casstore has to know. One second is what a Date can tell.
func (o Options) cas() *casstore.Options {
	return &casstore.Options{
		Prefix: o.Prefix, Clock: "the endpoint's, the Date of its answers", RefuseNewIdentity: o.RefuseNewIdentity,
	}
}
