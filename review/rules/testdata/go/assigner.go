package cases

import (
	"context"
	"log"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"gorm.io/gorm"
)

type Shard struct {
	ID     int
	Worker string
}

type Assigner struct {
	db  *gorm.DB
	cli *clientv3.Client
}

func (a *Assigner) Loop(ctx context.Context, me string) error {
	for {
		s, err := concurrency.NewSession(a.cli, concurrency.WithTTL(10))
		if err != nil {
			return err
		}
		e := concurrency.NewElection(s, "/assigner")
		if err := e.Campaign(ctx, me); err != nil {
			log.Print(err)
			continue
		}
		a.lead(ctx, s.Done(), me)
	}
}

func (a *Assigner) lead(ctx context.Context, done <-chan struct{}, me string) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-done:
			return
		case <-ctx.Done():
			return
		case <-t.C:
			a.db.Model(&Shard{}).Where("worker = ''").Update("worker", me) // want 11
		}
	}
}
