package gcsguard

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/casguard"
	"github.com/ringfence-go/ringfence/internal/gcs"
)

// Client sends a request with the credentials that the bucket asks for: an *http.Client
// of golang.org/x/oauth2/google or of google.golang.org/api/transport/http. It must not
// repeat a request by itself.
type Client interface {
	Do(*http.Request) (*http.Response, error)
}

// Guard judges writes to one object by the mark in it.
type Guard = casguard.Guard

// Options of a Guard. Nil means the defaults.
type Options struct {
	// Lease is the name of the only lease whose fences count at the object.
	// Defaults to the name in the fence that first establishes it.
	Lease string
	// Counter counts the verdicts; several guards may share one.
	// Defaults to a counter of the guard's own.
	Counter *guard.Counter
	// Try is how long one request may take, before the guard asks what came of it.
	// Defaults to 10 seconds.
	Try time.Duration
	// Endpoint is where the service answers. Defaults to "https://storage.googleapis.com".
	Endpoint string
	// MaxAge is the greatest age of a write's inputs, in whole milliseconds: a write
	// that was computed from older ones is refused as Outdated, by the service's clock.
	// It needs Write.AsOf, see Guard.Now. Defaults to no limit.
	MaxAge time.Duration
}

// MaxBytes is the length of the longest data that a guarded object holds.
const MaxBytes = casguard.MaxBytes

// New makes a guard of the object at key, of 1 to 1000 bytes. It sends nothing. Below
// key + ".terms/" the guard keeps the last write of each earlier term, under the rule
// Sequenced.
func New(client Client, bucket, key string, r guard.Rule, o *Options) (*Guard, error) {
	if client == nil || bucket == "" {
		return nil, fmt.Errorf("%w call of gcsguard.New: it needs a client and the name of a bucket", fence.ErrInvalid)
	}
	o = cmp.Or(o, &Options{})
	p := place{gcs.Bucket{Client: client, Endpoint: o.Endpoint, Name: bucket}}
	return casguard.New(p, bucket+"/"+key, key, r, &casguard.Options{Lease: o.Lease, Counter: o.Counter, Try: o.Try, MaxAge: o.MaxAge})
}
