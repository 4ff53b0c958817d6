package cases

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/singleflight"
)

var release = redis.NewScript(`
if redis.call("get", KEYS[1]) == ARGV[1] then
	return redis.call("del", KEYS[1])
end
return 0`)

type L struct {
	c     *redis.Client
	mu    sync.Mutex
	owner string
	g     singleflight.Group
}

func (l *L) Unlock(ctx context.Context, key string) error {
	n, err := release.Run(ctx, l.c, []string{key}, l.owner).Int()
	if err != nil {
		return err
	}
	if n == 0 {
		return errors.New("lost")
	}
	return nil
}

func (l *L) Lock(ctx context.Context, key string, d time.Duration) (bool, error) {
	return l.c.SetNX(ctx, key, l.owner, d).Result()
}

func (l *L) Local(db *sql.DB) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := db.Exec("UPDATE t SET n = n + 1")
	return err
}

func (l *L) Fill(ctx context.Context, key string) (string, error) {
	v, err := l.c.Get(ctx, key).Result()
	if err == redis.Nil {
		v = "x"
		err = l.c.Set(ctx, key, v, time.Minute).Err()
	}
	return v, err
}

func Pid(path string) error {
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(path + ".lock")
	return f.Close()
}

func Tx(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(1)"); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE t SET n = n + 1"); err != nil {
		return err
	}
	return tx.Commit()
}
