package cases

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

type limiter struct {
	mu  sync.Mutex
	rdb *redis.Client
}

// Allow is a rate limit: one call a minute and user.
func (l *limiter) Allow(ctx context.Context, user string) (bool, error) {
	return l.rdb.SetNX(ctx, "limit:"+user, 1, time.Minute).Result()
}

func (l *limiter) Reset(ctx context.Context, user string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.rdb.Del(ctx, "limit:"+user).Err()
}

// lockFile keeps two processes of one host apart.
func lockFile(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// release deletes the lock in an optimistic transaction, which fails if it changed.
func release(ctx context.Context, rdb *redis.Client, owner string) error {
	return rdb.Watch(ctx, func(tx *redis.Tx) error {
		cur, err := tx.Get(ctx, "lock:watch").Result()
		if err != nil {
			return err
		}
		if cur != owner {
			return errors.New("not ours")
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Del(ctx, "lock:watch")
			return nil
		})
		return err
	}, "lock:watch")
}

func take(ctx context.Context, rdb *redis.Client, owner string) (bool, error) {
	return rdb.SetNX(ctx, "lock:watch", owner, 30*time.Second).Result()
}

type cacheEntry struct {
	lockedKey string
	expiresAt time.Time
}

func (c *cacheEntry) fresh() bool { return time.Now().Before(c.expiresAt) }
