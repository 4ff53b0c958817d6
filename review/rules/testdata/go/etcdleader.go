package etcdleader

import (
	"context"
	"database/sql"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

func Lead(ctx context.Context, cli *clientv3.Client, db *sql.DB, me string) error {
	s, err := concurrency.NewSession(cli, concurrency.WithTTL(10))
	if err != nil {
		return err
	}
	defer s.Close()
	e := concurrency.NewElection(s, "/billing/leader")
	if err := e.Campaign(ctx, me); err != nil {
		return err
	}
	for ctx.Err() == nil {
		if _, err := db.ExecContext(ctx, "UPDATE runs SET cursor = cursor + 100"); err != nil { // want 11
			return err
		}
	}
	return e.Resign(ctx)
}
