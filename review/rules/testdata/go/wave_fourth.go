package cases

import (
	"context"
	"errors"
	"log/slog"
	"os/exec"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/bsm/redislock"
	capi "github.com/hashicorp/consul/api"
	"github.com/jmoiron/sqlx"
	"github.com/nats-io/nats.go"
	"github.com/stripe/stripe-go/v78"
	"github.com/stripe/stripe-go/v78/charge"
	"gorm.io/gorm"
)

var fenceCounter atomic.Int64

type yard struct {
	locks *redislock.Client
	db    *sqlx.DB
	orm   *gorm.DB
	bus   *nats.Conn
	queue *sqs.Client
	agent *capi.Client
}

func (y *yard) pack(ctx context.Context, box string) error {
	l, err := y.locks.Obtain(ctx, "box:"+box, 10*time.Second, nil) // want 7
	if err != nil {
		return err
	}
	defer func() {
		if err := l.Release(ctx); err != nil {
			slog.Warn("the lease of the box had ended", "box", box, "err", err)
		}
	}()
	out, err := exec.Command("labeler", box).Output()
	if err != nil {
		return err
	}
	_, err = y.db.ExecContext(ctx, "UPDATE boxes SET label = ? WHERE id = ?", out, box) // want 4
	return err
}

func (y *yard) tell(ctx context.Context, box string) error {
	l, err := y.locks.Obtain(ctx, "tell:"+box, 10*time.Second, nil) // want 7
	if errors.Is(err, redislock.ErrNotObtained) {
		return nil
	} else if err != nil {
		return err
	}
	defer l.Release(ctx)                                        // want 10
	if err := y.bus.Publish("boxes", []byte(box)); err != nil { // want 8
		return err
	}
	_, err = y.queue.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String("q"), MessageBody: aws.String(box)}) // want 8
	return err
}

func (y *yard) bill(ctx context.Context, who string) error {
	lk, err := y.agent.LockOpts(&capi.LockOptions{Key: "billing/leader", SessionTTL: "10s"})
	if err != nil {
		return err
	}
	lost, err := lk.Lock(nil)
	if err != nil {
		return err
	}
	go func() {
		<-lost
		slog.Warn("lost")
	}()
	_, err = charge.New(&stripe.ChargeParams{Amount: stripe.Int64(100), Customer: stripe.String(who)}) // want 8
	return err
}

func (y *yard) fenced(ctx context.Context, id int, body string) error {
	l, err := y.locks.Obtain(ctx, "doc", 10*time.Second, nil)
	if err != nil {
		return err
	}
	defer l.Release(ctx)         // want 10
	fence := fenceCounter.Add(1) // want 5
	res, err := y.db.ExecContext(ctx, "UPDATE docs SET body = ?, fence = ? WHERE id = ? AND fence < ?", body, fence, id, fence)
	if err != nil {
		return err
	}
	if n, _ := res.RowsAffected(); n == 0 {
		return errors.New("stale")
	}
	return nil
}

type Berth struct {
	Name  string `gorm:"primaryKey"`
	Owner string
	Until time.Time
}

func (y *yard) dock(name, ship string) (bool, error) {
	res := y.orm.Model(&Berth{}).
		Where("name = ? AND (owner = '' OR until < ?)", name, time.Now()).
		Updates(map[string]any{"owner": ship, "until": time.Now().Add(time.Hour)}) // want 6
	return res.RowsAffected == 1, res.Error
}

func (y *yard) undock(name string) error {
	return y.orm.Model(&Berth{}).Where("name = ?", name).Updates(map[string]any{"owner": "", "until": time.Time{}}).Error // want 1
}
