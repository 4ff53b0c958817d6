package cases

import (
	"context"
	"database/sql"

	clientv3 "go.etcd.io/etcd/client/v3"
)

type Watch struct {
	etcd *clientv3.Client
	db   *sql.DB
}

func (w *Watch) lead(ctx context.Context, me string, lease clientv3.LeaseID) (bool, error) {
	resp, err := w.etcd.Txn(ctx).
		If(clientv3.Compare(clientv3.CreateRevision("/watch/leader"), "=", 0)).
		Then(clientv3.OpPut("/watch/leader", me, clientv3.WithLease(lease))).
		Commit()
	if err != nil {
		return false, err
	}
	return resp.Succeeded, nil
}

func (w *Watch) Tick(ctx context.Context, me string, lease clientv3.LeaseID) error {
	ok, err := w.lead(ctx, me, lease)
	if err != nil || !ok {
		return err
	}
	_, err = w.db.ExecContext(ctx, "UPDATE alarms SET owner = ? WHERE owner = ''", me) // want 11
	return err
}
