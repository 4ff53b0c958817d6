package etcdlease

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"
)

func TryLock(ctx context.Context, cli *clientv3.Client, key, owner string) (int64, bool, error) {
	lease, err := cli.Grant(ctx, 15)
	if err != nil {
		return 0, false, err
	}
	resp, err := cli.Txn(ctx).
		If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
		Then(clientv3.OpPut(key, owner, clientv3.WithLease(lease.ID))).
		Commit()
	if err != nil {
		return 0, false, err
	}
	return resp.Header.Revision, resp.Succeeded, nil
}

func Unlock(ctx context.Context, cli *clientv3.Client, key string, rev int64) (bool, error) {
	resp, err := cli.Txn(ctx).
		If(clientv3.Compare(clientv3.ModRevision(key), "=", rev)).
		Then(clientv3.OpDelete(key)).
		Commit()
	return err == nil && resp.Succeeded, err
}
