// Package mutex has a lock with a lease of its own length.
package mutex

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

const ttl = 20 * time.Second

const drop = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`

// A Locker makes leases.
type Locker interface {
	Acquire(ctx context.Context, name string) (*Lease, error)
}

// Redis is the Locker of Redis.
type Redis struct{ rdb *redis.Client }

// New makes one.
func New(rdb *redis.Client) *Redis { return &Redis{rdb} }

// A Lease is a lock that is held.
type Lease struct {
	rdb         *redis.Client
	name, owner string
}

// Acquire takes a lock.
func (r *Redis) Acquire(ctx context.Context, name string) (*Lease, error) {
	l := &Lease{r.rdb, name, rand.Text()}
	ok, err := r.rdb.SetNX(ctx, l.name, l.owner, ttl).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errors.New("mutex: taken")
	}
	return l, nil
}

// Release gives it back.
func (l *Lease) Release(ctx context.Context) error {
	n, err := l.rdb.Eval(ctx, drop, []string{l.name}, l.owner).Int()
	if err == nil && n == 0 {
		return errors.New("mutex: was lost")
	}
	return err
}
