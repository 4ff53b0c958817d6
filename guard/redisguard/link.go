package redisguard

import (
	"context"
	"errors"
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

// maxMoves is how often one call looks for keys that a cluster moves.
const maxMoves = 3

// link leads to the one server that has the resource's hash slot.
type link struct {
	key string // the mark's
	// cluster is nil where there is one server.
	cluster *redis.ClusterClient

	mu    sync.Mutex
	owner *redis.Client // of the node that plain was made from
	plain *redis.Client // never repeats a command by itself
}

func connect(client redis.UniversalClient, key string) (*link, error) {
	switch c := client.(type) {
	case *redis.Client:
		if c != nil {
			return &link{key: key, plain: steady(c)}, nil
		}
	case *redis.ClusterClient:
		if c != nil {
			return &link{key: key, cluster: c}, nil
		}
	}
	return nil, fmt.Errorf("%w client %T: want a *redis.Client or a *redis.ClusterClient; a ring moves keys to another server while one is down",
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

// node is the client of the server that has the resource's keys.
func (l *link) node(ctx context.Context) (*redis.Client, error) {
	if l.cluster == nil {
		return l.plain, nil
	}
	c, err := l.cluster.MasterForKey(ctx, l.key)
	if err != nil {
		return nil, unasked{err}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.owner != c {
		l.owner, l.plain = c, steady(c)
	}
	return l.plain, nil
}

// unasked is an error that came before a script was sent.
type unasked struct{ error }

func (e unasked) Unwrap() error { return e.error }

// moved reports whether a cluster keeps the keys elsewhere by now.
func moved(err error) bool {
	var answered redis.Error
	return errors.As(err, &answered) && (strings.HasPrefix(err.Error(), "MOVED ") || strings.HasPrefix(err.Error(), "ASK "))
}
