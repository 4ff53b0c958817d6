package testdata

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/bsm/redislock"
)

func Run(ctx context.Context, c *redislock.Client, work func() error) error {
	l, err := c.Obtain(ctx, "job", time.Minute, nil) // want 9
	if errors.Is(err, redislock.ErrNotObtained) {
		return nil
	}
	if l != nil {
		defer func() {
			if err := l.Release(ctx); err != nil {
				log.Println(err)
			}
		}()
	}
	return work()
}

func Strict(ctx context.Context, c *redislock.Client, work func() error) error {
	l, err := c.Obtain(ctx, "strict", time.Minute, nil)
	switch {
	case err == nil:
	case errors.Is(err, redislock.ErrNotObtained):
		return nil
	default:
		return err
	}
	defer func() {
		if err := l.Release(ctx); err != nil {
			log.Println(err)
		}
	}()
	return work()
}

func Retried(ctx context.Context, c *redislock.Client, work func() error) error {
	l, err := c.Obtain(ctx, "retried", time.Minute, nil)
	if errors.Is(err, redislock.ErrNotObtained) {
		log.Println("busy")
		return nil
	} else if err != nil {
		return err
	}
	if err := work(); err != nil {
		return err
	}
	return l.Release(ctx)
}
