package redisstore

import (
	"context"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/fence"
)

// Options change how a store is opened. A nil *Options means the defaults. All
// clients of one store must agree on Prefix and WeakIdentity, and should on
// RefuseNewIdentity.
type Options struct {
	// Prefix begins the keys of the store, and is its hash tag: 1 to 64 bytes of
	// printable ASCII without braces and spaces. Defaults to "ringfence".
	Prefix string

	// Label names the store for people, in errors and logs. Defaults to the
	// server's address and the prefix.
	Label string

	// RefuseNewIdentity makes the store refuse to grant, with driver.ErrUnfit,
	// when another server answers than the one on record, until an operator
	// accepts it with `ringfence recover`. Each restart of Redis is such a change.
	// Defaults to false: the store raises its floor, notes the change and goes on.
	RefuseNewIdentity bool

	// WeakIdentity is for a user that may not run INFO. A restart and a promotion
	// then go unnoticed, and only the server's clock keeps the numbers rising
	// across them; the memory policy is not checked where CONFIG is forbidden as
	// well. Defaults to false: such a user is refused.
	WeakIdentity bool

	// Workers is how many pipelines of this client are under way at once at most, 1 to
	// 64. Each takes a connection of the client's pool; more than two do so only while
	// much waits, or a connection hangs. Defaults to 3.
	Workers int
}

func (o *Options) withDefaults() (Options, error) {
	var full Options
	if o != nil {
		full = *o
	}
	if full.Prefix == "" {
		full.Prefix = "ringfence"
	}
	if full.Workers == 0 {
		full.Workers = 3
	}
	odd := func(r rune) bool { return r <= ' ' || r > '~' || r == '{' || r == '}' }
	switch {
	case len(full.Prefix) > 64 || strings.ContainsFunc(full.Prefix, odd):
		return full, fmt.Errorf("%w option Prefix %s: want 1 to 64 bytes of printable ASCII without braces and spaces", fence.ErrInvalid, fence.Quote(full.Prefix))
	case full.Workers < 1 || full.Workers > 64:
		return full, fmt.Errorf("%w option Workers %d: want 1 to 64", fence.ErrInvalid, full.Workers)
	}
	return full, nil
}

// Open returns a store in the Redis of client, which is a *redis.Client or a
// *redis.ClusterClient and stays the caller's: close the store first. The store
// shares the client's connections, and repeats nothing behind its own back: the
// client's MaxRetries and MaxRedirects don't concern it.
//
// The error is driver.ErrUnavailable where the server could not be asked, and
// driver.ErrUnfit where it can't host leases as it is: a replica, one that evicts
// keys, a user without the rights. Its text says what to do. The server is
// looked at again each hour, and when it has changed.
func Open(ctx context.Context, client redis.UniversalClient, o *Options) (*Store, error) {
	full, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	link, err := connect(client, full)
	if err != nil {
		return nil, err
	}
	s := newStore(link, full)
	if err := s.prepare(ctx); err != nil {
		go func() { _ = s.Close() }() // a connection that hangs must not keep the caller
		return nil, before(judge(err)).fault("open the store " + s.props.Store)
	}
	return s, nil
}

var (
	_ driver.Store        = (*Store)(nil)
	_ driver.BatchRenewer = (*Store)(nil)
	_ driver.Lister       = (*Store)(nil)
	_ driver.Breaker      = (*Store)(nil)
	_ driver.Watcher      = (*Store)(nil)
	_ driver.Queue        = (*Store)(nil)
	_ driver.BatchQueue   = (*Store)(nil)
	_ driver.TurnWatcher  = (*Store)(nil)
	_ driver.Recoverer    = (*Store)(nil)
	_ driver.Pruner       = (*Store)(nil)
)
