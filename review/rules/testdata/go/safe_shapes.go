package cases

import (
	"context"
	"database/sql"
	"errors"
	"github.com/bsm/redislock"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"golang.org/x/sync/singleflight"
	"net/http"
	"strings"
	"sync"
	"time"
)

type S struct {
	mu     sync.RWMutex
	g      singleflight.Group
	rdb    *redis.Client
	db     *sql.DB
	locker *redislock.Client
	etcd   *clientv3.Client
	pool   *pgxpool.Pool
}

func (s *S) Bounded(ctx context.Context, id string) (err error) {
	l, err := s.locker.Obtain(ctx, "x:"+id, 30*time.Second, nil)
	if errors.Is(err, redislock.ErrNotObtained) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release(context.WithoutCancel(ctx))) }()
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://pay.invalid", strings.NewReader(""))
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", id)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
func (s *S) Mutex(ctx context.Context, key, val string) error {
	sess, err := concurrency.NewSession(s.etcd)
	if err != nil {
		return err
	}
	defer sess.Close()
	m := concurrency.NewMutex(sess, "/l/"+key)
	if err := m.Lock(ctx); err != nil {
		return err
	}
	resp, err := s.etcd.Txn(ctx).If(m.IsOwner()).Then(clientv3.OpPut(key, val)).Commit()
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errors.New("lost")
	}
	return m.Unlock(ctx)
}
func (s *S) Local() { s.mu.Lock(); defer s.mu.Unlock(); s.db.Exec("UPDATE t SET a = 1") }
func (s *S) Pinned(ctx context.Context) error {
	c, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	var ok bool
	if err := c.QueryRow(ctx, "SELECT pg_try_advisory_lock(1)").Scan(&ok); err != nil {
		return err
	}
	if !ok {
		return nil
	}
	_, err = c.Exec(ctx, "UPDATE t SET a = 1")
	var un bool
	if e := c.QueryRow(ctx, "SELECT pg_advisory_unlock(1)").Scan(&un); e != nil {
		return errors.Join(err, e)
	}
	if !un {
		return errors.New("not held")
	}
	return err
}
func (s *S) Tx(ctx context.Context) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(1)"); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE t SET a = 1"); err != nil {
		return err
	}
	return tx.Commit()
}
func (s *S) Stampede(ctx context.Context, k string) (string, error) {
	v, err := s.rdb.Get(ctx, "page:"+k).Result()
	if errors.Is(err, redis.Nil) {
		v = "x"
		err = s.rdb.Set(ctx, "page:"+k, v, time.Minute).Err()
	}
	return v, err
}
