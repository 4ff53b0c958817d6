package rueidislock

import (
	"context"
	"errors"

	"github.com/redis/rueidis"
)

type Lock struct {
	c     rueidis.Client
	key   string
	owner string
}

func (l *Lock) Take(ctx context.Context) error {
	return l.c.Do(ctx, l.c.B().Set().Key("lock:"+l.key).Value(l.owner).Nx().ExSeconds(20).Build()).Error()
}

func (l *Lock) Drop(ctx context.Context) error {
	got, err := l.c.Do(ctx, l.c.B().Get().Key("lock:"+l.key).Build()).ToString()
	if err != nil {
		return err
	}
	if got != l.owner {
		return errors.New("not ours")
	}
	return l.c.Do(ctx, l.c.B().Del().Key("lock:"+l.key).Build()).Error() // want 2
}
