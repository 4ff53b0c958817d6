package redisstore

import (
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

func TestServerIsLookedAtEachHour(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, nil)
	client := redis.NewClient(&redis.Options{Addr: server.Addr(), Password: server.Password()})
	t.Cleanup(func() { _ = client.Close() })
	s, err := Open(t.Context(), client, nil)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(age time.Duration) error {
		looked := time.Now().Add(-age)
		s.look.last.Store(&looked)
		_, err := s.Acquire(t.Context(), driver.Request{Name: "n", Attempt: "a", TTL: time.Minute})
		return err
	}
	server.Exec("CONFIG", "SET", "maxmemory", "100mb", "maxmemory-policy", "volatile-lru")
	if err := ask(lookEvery - time.Minute); err != nil {
		t.Errorf("before the hour is over: %v", err)
	}
	for range 2 {
		if err := ask(lookEvery); !errors.Is(err, driver.ErrUnfit) {
			t.Errorf("afterwards: %v; want ErrUnfit", err)
		}
	}
	server.Exec("CONFIG", "SET", "maxmemory-policy", "noeviction")
	if err := ask(lookEvery); err != nil {
		t.Errorf("mended: %v", err)
	}
	_ = s.Close()
	if err := ask(lookEvery); !errors.Is(err, driver.ErrClosed) {
		t.Errorf("closed: %v; want ErrClosed", err)
	}
}
