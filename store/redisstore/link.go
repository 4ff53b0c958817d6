package redisstore

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/fence"
)

// replyLimit is how long a connection waits for an answer where the client that
// was handed in sets no limit of its own, or a longer one.
const replyLimit = 3 * time.Second

// aloneLimit is how long a call waits for its answer on its caller's own
// goroutine, where nothing but an answer or a deadline wakes it.
const aloneLimit = 250 * time.Millisecond

// link leads to the one server that has the store's hash slot.
type link struct {
	client redis.UniversalClient
	addr   string // for people
	keys   []any  // that every script gets first
	weak   string // as the scripts take it
	// cluster is nil where there is one server.
	cluster *redis.ClusterClient

	mu    sync.Mutex
	owner *redis.Client // of the node that steady was made from
	plain *redis.Client // never repeats a command by itself
	quick *redis.Client // nor waits for long
}

func connect(client redis.UniversalClient, o Options) (*link, error) {
	l := &link{client: client, keys: []any{"{" + o.Prefix + "}:store", "{" + o.Prefix + "}:names"}, weak: "0"}
	if o.WeakIdentity {
		l.weak = "1"
	}
	switch c := client.(type) {
	case *redis.Client:
		if c == nil {
			break
		}
		l.addr = "redis at " + c.Options().Addr
		l.use(c)
		return l, nil
	case *redis.ClusterClient:
		if c == nil {
			break
		}
		l.addr = "redis cluster at " + strings.Join(c.Options().Addrs, ",")
		l.cluster = c
		return l, nil
	}
	return nil, fmt.Errorf("%w client %T: want a *redis.Client or a *redis.ClusterClient; a ring moves names to another server while one is down",
		fence.ErrInvalid, client)
}

// use makes c the server's client.
func (l *link) use(c *redis.Client) {
	l.owner, l.plain, l.quick = c, steady(c, replyLimit), steady(c, aloneLimit)
}

// steady is a client on the connections of c that tries once and keeps to the
// deadlines of a context. Where a client repeats a command, its error is about
// the last try, and doesn't say whether an earlier one arrived.
func steady(c *redis.Client, limit time.Duration) *redis.Client {
	if own := c.Options().ReadTimeout; own > 0 {
		limit = min(limit, own)
	}
	plain := c.WithTimeout(limit)
	plain.Options().MaxRetries = 0
	plain.Options().ContextTimeoutEnabled = true
	return plain
}

// node is the client of the server that has the store's keys.
func (l *link) node(ctx context.Context, alone bool) (*redis.Client, error) {
	var owner *redis.Client
	if l.cluster != nil {
		var err error
		if owner, err = l.cluster.MasterForKey(ctx, l.keys[0].(string)); err != nil {
			return nil, before(judge(err))
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if owner != nil && l.owner != owner {
		l.use(owner)
	}
	if alone {
		return l.quick, nil
	}
	return l.plain, nil
}

// ready reports whether a connection is at hand. To make one can take long, and
// its caller must be able to leave meanwhile.
func (l *link) ready() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.plain != nil && l.plain.PoolStats().IdleConns > 0
}

// moved makes a cluster's client look again where the keys are. It reports false for a client
// of one server, which follows them nowhere.
func (l *link) moved(ctx context.Context) bool {
	if l.cluster != nil {
		l.cluster.ReloadState(ctx)
	}
	return l.cluster != nil
}
