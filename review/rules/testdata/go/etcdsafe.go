package etcdsafe

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

func Save(ctx context.Context, cli *clientv3.Client, m *concurrency.Mutex, key, value string) error {
	resp, err := cli.Txn(ctx).If(m.IsOwner()).Then(clientv3.OpPut(key, value)).Commit()
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errors.New("not the owner any more")
	}
	return nil
}
