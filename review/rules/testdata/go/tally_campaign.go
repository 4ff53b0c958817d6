package tally

import (
	"context"
	"log"

	"github.com/jmoiron/sqlx"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

func Serve(ctx context.Context, cli *clientv3.Client, db *sqlx.DB, host string) error {
	s, err := concurrency.NewSession(cli)
	if err != nil {
		return err
	}
	defer s.Close()
	e := concurrency.NewElection(s, "/tally")
	if err := e.Campaign(ctx, host); err != nil {
		return err
	}
	for ctx.Err() == nil {
		if err := tally(ctx, db); err != nil {
			log.Print(err)
		}
	}
	return e.Resign(context.Background())
}

func tally(ctx context.Context, db *sqlx.DB) error {
	_, err := db.ExecContext(ctx, "INSERT INTO tallies (day, n) SELECT current_date, count(*) FROM votes") // want 11
	return err
}
