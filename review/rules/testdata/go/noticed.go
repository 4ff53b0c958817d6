package feed

import (
	"context"
	"log/slog"
	"time"

	"github.com/bsm/redislock"
	"github.com/segmentio/kafka-go"
)

type Feeder struct {
	locker *redislock.Client
	w      *kafka.Writer
}

func (f *Feeder) Emit(ctx context.Context, topic string, batch []kafka.Message) error {
	l, err := f.locker.Obtain(ctx, "emit:"+topic, time.Second*30, nil) // want 7 9
	if err != nil {
		slog.Warn("no turn", "topic", topic, "err", err)
	}
	if l != nil {
		defer func() { _ = l.Release(ctx) }() // want 10
	}
	return f.w.WriteMessages(ctx, batch...) // want 8
}
