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

// link leads to the one server that has the store's hash slot.
type link struct {
	client redis.UniversalClient
	addr   string // for people
	key    string // any key of the store
	// cluster is nil where there is one server.
	cluster *redis.ClusterClient

	mu    sync.Mutex
	owner *redis.Client // of the node that steady was made from
	plain *redis.Client // never repeats a command by itself
}

func connect(client redis.UniversalClient, prefix string) (*link, error) {
	l := &link{client: client, key: "{" + prefix + "}"}
	switch c := client.(type) {
	case *redis.Client:
		if c == nil {
			break
		}
		l.addr = "redis at " + c.Options().Addr
		l.plain = steady(c)
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

// steady is a client on the connections of c that tries once and keeps to the
// deadlines of a context. Where a client repeats a command, its error is about
// the last try, and doesn't say whether an earlier one arrived.
func steady(c *redis.Client) *redis.Client {
	limit := c.Options().ReadTimeout
	if limit <= 0 || limit > replyLimit {
		limit = replyLimit
	}
	plain := c.WithTimeout(limit)
	plain.Options().MaxRetries = 0
	plain.Options().ContextTimeoutEnabled = true
	return plain
}

// node is the client of the server that has the store's keys.
func (l *link) node(ctx context.Context) (*redis.Client, error) {
	if l.cluster == nil {
		return l.plain, nil
	}
	c, err := l.cluster.MasterForKey(ctx, l.key)
	if err != nil {
		return nil, before(judge(err))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.owner != c {
		l.owner, l.plain = c, steady(c)
	}
	return l.plain, nil
}

// moved makes a cluster's client look again where the keys are.
func (l *link) moved(ctx context.Context) {
	if l.cluster != nil {
		l.cluster.ReloadState(ctx)
	}
}
