package gcsstore

import (
	"context"
	"fmt"
	"net/http"
	"regexp"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/internal/gcs"
	"github.com/ringfence-go/ringfence/store/casstore"
)

// Scope is what the credentials of a client have to cover.
const Scope = "https://www.googleapis.com/auth/devstorage.read_write"

// Client sends a request with the credentials that the bucket asks for: an *http.Client
// of golang.org/x/oauth2/google or of google.golang.org/api/transport/http. It must not
// repeat a request by itself.
type Client interface {
	Do(*http.Request) (*http.Response, error)
}

// Store hosts leases in a bucket. It implements driver.Store, driver.Lister,
// driver.Breaker and driver.Recoverer.
type Store = casstore.Store

// Options change how a store is opened. A nil *Options means the defaults.
type Options struct {
	// Prefix begins the name of every object. Nothing else may write below it. Up to
	// 200 letters, digits and any of ! - _ . ' ( ) /. Defaults to "ringfence/".
	Prefix string

	// Endpoint is where the service answers. Defaults to "https://storage.googleapis.com".
	Endpoint string

	// Label names the store for people, in errors and logs. Defaults to the bucket
	// and the prefix.
	Label string

	// RefuseNewIdentity makes the store refuse to grant after its own record was
	// lost, until an operator has raised the floor. Defaults to false: it goes on a
	// minute beyond the service's clock.
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
		full.Label = fmt.Sprintf("Google Cloud Storage bucket %q at %q", bucket, full.Prefix)
	}
	switch {
	case client == nil || bucket == "":
		return full, fmt.Errorf("%w call of package gcsstore: it needs a client and the name of a bucket", fence.ErrInvalid)
	case !goodPrefix.MatchString(full.Prefix):
		return full, fmt.Errorf("%w option Prefix %s: want up to 200 letters, digits and !-_.'()/", fence.ErrInvalid, fence.Quote(full.Prefix))
	}
	return full, nil
}

// cas is what package casstore has to know. One second is what a Date can tell.
func (o Options) cas() *casstore.Options {
	return &casstore.Options{
		Prefix: o.Prefix, Clock: "the service's, the Date of its answers", RefuseNewIdentity: o.RefuseNewIdentity,
	}
}

// Open returns a store in a bucket that exists. It writes a few times to an object of
// its own, to see that the endpoint keeps preconditions and tells the time; where
// others open one at the same time, that takes some seconds. The client stays the
// caller's. The error is driver.ErrUnavailable where the endpoint could not be asked,
// and driver.ErrUnfit where it or the bucket can't host leases; its text says what to do.
func Open(ctx context.Context, client Client, bucket string, o *Options) (*Store, error) {
	full, err := o.withDefaults(client, bucket)
	if err != nil {
		return nil, err
	}
	return casstore.New(ctx, place{gcs.Bucket{Client: client, Endpoint: full.Endpoint, Name: bucket}}, full.Label, full.cas())
}

// Examine says what decides whether the bucket can host leases under the options o,
// finding by finding. It works where Open refuses, and changes nothing but the object
// that Open writes to as well. The error says that the service could not be asked at
// all, and is one of the contract.
func Examine(ctx context.Context, client Client, bucket string, o *Options) ([]driver.Finding, error) {
	full, err := o.withDefaults(client, bucket)
	if err != nil {
		return nil, err
	}
	p := place{gcs.Bucket{Client: client, Endpoint: full.Endpoint, Name: bucket}}
	all, err := casstore.Examine(ctx, p, full.Label, full.cas())
	if err != nil {
		return nil, err
	}
	return append(all, p.settings(ctx, full.Prefix)...), ctx.Err()
}
