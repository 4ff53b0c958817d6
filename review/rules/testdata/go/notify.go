package cases

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
)

var (
	once sync.Once
	rs   *redsync.Redsync
)

func locks() *redsync.Redsync {
	once.Do(func() {
		rs = redsync.New(goredis.NewPool(redis.NewClient(&redis.Options{})))
	})
	return rs
}

func Notify(ctx context.Context, user string) error {
	m := locks().NewMutex("notify:"+user, redsync.WithExpiry(8*time.Second))
	if err := m.LockContext(ctx); err != nil { // want 7 14
		return err
	}
	defer m.UnlockContext(ctx) // want 10
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://sms.invalid/send", strings.NewReader(user))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req) // want 8
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
