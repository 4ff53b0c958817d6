package etcdstore

import (
	"context"
	"fmt"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Options change how a store is opened. A nil *Options means the defaults. All
// clients of one store must agree on Prefix.
type Options struct {
	// Prefix begins every key of the store, 1 to 256 bytes; end it with a slash.
	// Nothing else may write below it. Defaults to "ringfence/".
	Prefix string

	// Label names the store for people, in errors and logs. Defaults to etcd, the
	// client's endpoints and the prefix.
	Label string

	// Try is how long one request may take before it is sent again, to the next
	// member, 50 ms to 1 minute. A call takes several tries while its context
	// lasts. Defaults to 1 second.
	Try time.Duration
}

func (o *Options) withDefaults(client *clientv3.Client) (Options, error) {
	full := Options{}
	if o != nil {
		full = *o
	}
	if full.Prefix == "" {
		full.Prefix = "ringfence/"
	}
	if full.Try == 0 {
		full.Try = time.Second
	}
	if len(full.Prefix) > 256 || fence.CheckName(full.Prefix) != nil {
		return full, fmt.Errorf("%w option Prefix %s: want 1 to 256 bytes of UTF-8 without control characters",
			fence.ErrInvalid, fence.Quote(full.Prefix))
	}
	if full.Try < 50*time.Millisecond || full.Try > time.Minute {
		return full, fmt.Errorf("%w option Try %s: want 50ms to 1m", fence.ErrInvalid, full.Try)
	}
	if full.Label == "" {
		full.Label = "etcd at " + strings.Join(client.Endpoints(), ",") + ", prefix " + full.Prefix
	}
	return full, nil
}

// Open returns a store in the etcd of client, which stays the caller's: close
// the store first, then the client. It writes the store's record where nothing
// lies below the prefix. The error is driver.ErrUnavailable where etcd could not
// be asked, and driver.ErrUnfit where it can't host leases as it is; its text says
// what to do.
//
// A store whose cluster was restored opens, so that it can be recovered, and
// grants nothing.
func Open(ctx context.Context, client *clientv3.Client, o *Options) (*Store, error) {
	if client == nil {
		return nil, fmt.Errorf("%w call of etcdstore.Open: it needs a *clientv3.Client", fence.ErrInvalid)
	}
	full, err := o.withDefaults(client)
	if err != nil {
		return nil, err
	}
	return open(ctx, client, full, time.Now)
}

func open(ctx context.Context, client *clientv3.Client, o Options, clock func() time.Time) (*Store, error) {
	s := newStore(client, o, clock)
	least, err := tries(ctx, s, func(bool) (time.Duration, error) {
		if err := s.setUp(ctx); err != nil {
			return 0, err
		}
		return s.pool.shortest(ctx)
	})
	if err != nil {
		_ = s.Close()
		return nil, err
	}
	s.props = driver.Properties{
		Store:      o.Label,
		Clock:      "the etcd leader's, as elapsed time; the times in a record are noted by its writer for people",
		Resolution: time.Second,
		MinTTL:     least,
		Durable:    true,
	}
	return s, nil
}
