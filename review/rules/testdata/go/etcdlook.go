package cases

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/bsm/redislock"
	"github.com/hashicorp/consul/api"
	"github.com/jackc/pgx/v5"
	clientv3 "go.etcd.io/etcd/client/v3"
	"time"
)

type warden struct {
	me     string
	kv     *clientv3.Client
	db     *pgx.Conn
	topics *sns.Client
	locks  *redislock.Client
	agent  *api.Client
}

func (w *warden) become(ctx context.Context, lease clientv3.LeaseID) (bool, error) {
	won, err := w.kv.Txn(ctx).
		If(clientv3.Compare(clientv3.CreateRevision("gates/leader"), "=", 0)).
		Then(clientv3.OpPut("gates/leader", w.me, clientv3.WithLease(lease))).
		Commit()
	if err != nil {
		return false, err
	}
	return won.Succeeded, nil
}

func (w *warden) leads(ctx context.Context) error {
	got, err := w.kv.Get(ctx, "gates/leader")
	if err != nil {
		return err
	}
	if len(got.Kvs) == 0 || string(got.Kvs[0].Value) != w.me {
		return errors.New("another one leads")
	}
	return nil
}

func (w *warden) Shut(ctx context.Context, lease clientv3.LeaseID) error {
	if won, err := w.become(ctx, lease); err != nil || !won {
		return err
	}
	if err := w.leads(ctx); err != nil {
		return err
	}
	_, err := w.db.Exec(ctx, "UPDATE gates SET shut = true") // want 11 12
	return err
}

func (w *warden) Warn(ctx context.Context) error {
	l, err := w.locks.Obtain(ctx, "warn", time.Minute, nil)
	if err != nil {
		return err
	}
	work, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err = w.topics.Publish(work, &sns.PublishInput{}) // want 8
	return errors.Join(err, l.Release(ctx))
}

func (w *warden) Lead(ctx context.Context) error {
	lk, err := w.agent.LockOpts(&api.LockOptions{Key: "gates/leader"})
	if err != nil {
		return err
	}
	if lost, err := lk.Lock(ctx.Done()); err != nil || lost == nil {
		return err
	}
	_, err = w.db.Exec(ctx, "UPDATE gates SET open = true") // want 11
	return errors.Join(err, lk.Unlock())
}
