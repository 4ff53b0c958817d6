package zkstore

import (
	"context"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/store/internal/stamp"
)

// OpenSkewed opens a store whose caller's clock is off.
func OpenSkewed(ctx context.Context, address string, o *Options, skew time.Duration) (*Store, error) {
	return open(ctx, address, o, func() time.Time { return time.Now().Add(skew) })
}

// WriteAsRead takes the step of an acquire on what was read before between was called.
func (s *Store) WriteAsRead(ctx context.Context, r driver.Request, between func()) error {
	v, err := s.look(ctx, r.Name, true)
	if err != nil {
		return err
	}
	between()
	c := s.newCall(r.Name, stamp.Step{Kind: stamp.Acquire, Attempt: r.Attempt, TTL: r.TTL})
	_, err = c.write(ctx, v)
	return err
}

// Connection is the number of the store's present connection.
func (s *Store) Connection() uint64 { return s.link.now() }

// ErrElsewhere refuses a write on another connection than that of its read.
var ErrElsewhere error = errElsewhere

// Record is the path of a name's record.
func (s *Store) Record(name string) string { return s.paths.lease(name) }

// Version is the version of a name's znode.
func (s *Store) Version(c *zk.Conn, name string) (int32, error) {
	_, stat, err := c.Get(s.paths.lease(name))
	return stat.Version, err
}
