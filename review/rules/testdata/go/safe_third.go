package cases

import (
	"context"
	"database/sql"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
)

type settings struct {
	etcd *clientv3.Client
	db   *sql.DB
	http http.Client
}

// Mode is read, compared, and decides: no lock has this key.
func (s *settings) Mode(ctx context.Context, mine string) error {
	got, err := s.etcd.Get(ctx, "/settings/mode")
	if err != nil {
		return err
	}
	if len(got.Kvs) == 0 || string(got.Kvs[0].Value) != mine {
		return nil
	}
	_, err = s.db.ExecContext(ctx, "UPDATE settings SET mode = $1", mine)
	return err
}

func (s *settings) Ping(urls []string) int {
	up := 0
	for _, u := range urls {
		if resp, err := s.http.Get(u); err == nil {
			resp.Body.Close()
			up++
		}
	}
	return up
}

// Limit counts requests, and is no lock.
func Limit(ctx context.Context, rdb *redis.Client, user string) bool {
	n, err := rdb.Incr(ctx, "limit:"+user).Result()
	if err != nil {
		return true
	}
	rdb.Expire(ctx, "limit:"+user, time.Minute)
	return n < 100
}
