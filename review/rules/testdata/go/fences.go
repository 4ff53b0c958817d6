package cases

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

var counter atomic.Int64

type claim struct {
	name  string
	fence int64
}

func grant(name string) claim {
	return claim{name: name, fence: counter.Add(1)} // want 5
}

func stamped(name string) claim {
	c := claim{name: name}
	c.fence = time.Now().UnixMilli() // want 5
	return c
}

func save(ctx context.Context, db *sql.DB, id string, fence int64) error {
	var last int64
	if err := db.QueryRowContext(ctx, "SELECT fence FROM pages WHERE id = ?", id).Scan(&last); err != nil {
		return err
	}
	if last > fence {
		return errors.New("stale")
	}
	_, err := db.ExecContext(ctx, "UPDATE pages SET fence = ? WHERE id = ?", fence, id) // want 15
	return err
}

// saveInOneStep is the right way.
func saveInOneStep(ctx context.Context, db *sql.DB, id string, fence int64) (bool, error) {
	r, err := db.ExecContext(ctx, "UPDATE pages SET fence = ? WHERE id = ? AND fence <= ?", fence, id, fence)
	if err != nil {
		return false, err
	}
	n, err := r.RowsAffected()
	return n == 1, err
}

func stillOurs(ctx context.Context, rdb *redis.Client, db *sql.DB) error {
	owner := uuid.NewString()
	ok, err := rdb.SetNX(ctx, "lock:pages", owner, time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	if cur, _ := rdb.Get(ctx, "lock:pages").Result(); cur != owner {
		return errors.New("lost")
	}
	_, err = db.ExecContext(ctx, "UPDATE pages SET seen = true") // want 4 12
	return err
}

func stray(ctx context.Context, rdb *redis.Client, owner string) error {
	defer rdb.Del(ctx, "lock:stray") // want 1 18
	ok, err := rdb.SetNX(ctx, "lock:stray", owner, time.Minute).Result()
	if err != nil || !ok {
		return err
	}
	return nil
}

var give = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`)

func hostOwner(ctx context.Context, rdb *redis.Client) (bool, error) {
	host, _ := os.Hostname()
	return rdb.SetNX(ctx, "lock:host", host, time.Minute).Result() // want 19
}

func giveHost(ctx context.Context, rdb *redis.Client, host string) (int64, error) {
	return give.Run(ctx, rdb, []string{"lock:host"}, host).Int64()
}

type sealed struct {
	name  string
	token int64
}

type errand struct{ fence sealed }

func send(doc string, token int64) errand {
	scope := doc + "/" + uuid.NewString()
	return errand{fence: sealed{name: scope, token: token}}
}
