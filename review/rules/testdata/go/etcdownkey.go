package orchard

import (
	"context"
	"database/sql"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

type orchard struct {
	etcd *clientv3.Client
	db   *sql.DB
}

// still asks for the key that the mutex keeps while it has its lock.
func (o *orchard) still(ctx context.Context, held *concurrency.Mutex) (bool, error) {
	got, err := o.etcd.Get(ctx, held.Key())
	if err != nil {
		return false, err
	}
	return len(got.Kvs) > 0, nil
}

func (o *orchard) prune(ctx context.Context, row string, trees int) error {
	ctx, cancel := context.WithTimeout(ctx, rowTime)
	defer cancel()
	s, err := concurrency.NewSession(o.etcd)
	if err != nil {
		return err
	}
	defer s.Close()
	m := concurrency.NewMutex(s, "/rows/"+row)
	if err := m.Lock(ctx); err != nil {
		return err
	}
	ok, err := o.still(ctx, m)
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("the row was handed on")
	}
	_, err = o.db.ExecContext(ctx, "UPDATE orchards SET trees = ? WHERE name = ?", trees, row) // want 4 12
	return err
}
