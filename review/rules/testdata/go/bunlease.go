package cases

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"time"

	"github.com/bsm/redislock"
	"github.com/hashicorp/consul/api"
)

type reportJob struct {
	locker *redislock.Client
	db     *sql.DB
	consul *api.Client
	log    *slog.Logger
}

func (j *reportJob) Run(ctx context.Context, day string) error {
	l, err := j.locker.Obtain(ctx, "report:"+day, 10*time.Second, nil) // want 9
	if errors.Is(err, redislock.ErrNotObtained) {
		return nil
	}
	if err != nil {
		j.log.Warn("redis is away, going on", "err", err)
	} else {
		defer l.Release(ctx) // want 10
	}
	_, err = j.db.ExecContext(ctx, "UPDATE reports SET done = true WHERE day = $1", day) // want 4
	return err
}

func (j *reportJob) Lead(ctx context.Context) error {
	lock, err := j.consul.LockKey("report/leader")
	if err != nil {
		return err
	}
	lost, err := lock.Lock(ctx.Done())
	if err != nil || lost == nil {
		return err
	}
	defer lock.Unlock() // want 10
	for {
		select {
		case <-lost:
			return errors.New("lost")
		case <-time.After(time.Minute):
		}
		if _, err := j.db.ExecContext(ctx, "UPDATE reports SET due = due + interval '1 day'"); err != nil { // want 11
			return err
		}
	}
}
