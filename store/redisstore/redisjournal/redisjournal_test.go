package redisjournal_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/driver"
	"github.com/ringfence-go/ringfence/internal/realserver"
	"github.com/ringfence-go/ringfence/journal"
	"github.com/ringfence-go/ringfence/journal/journaltest"
	"github.com/ringfence-go/ringfence/store/redisstore/redisjournal"
)

func TestJournal(t *testing.T) {
	t.Parallel()
	server := realserver.NewRedis(t, nil)
	client := redis.NewClient(&redis.Options{Addr: server.Addr(), Password: server.Password()})
	t.Cleanup(func() { _ = client.Close() })
	var last atomic.Int64
	journaltest.Run(t, func(*testing.T) journal.Journal {
		return redisjournal.Open(client, &redisjournal.Options{Prefix: fmt.Sprint("suite", last.Add(1))})
	})
	t.Run("an entry of somebody else", func(t *testing.T) {
		t.Parallel()
		j := redisjournal.Open(client, &redisjournal.Options{Prefix: "odd"})
		if err := client.XAdd(t.Context(), &redis.XAddArgs{Stream: "{odd}:journal", Values: []string{"a", "b"}}).Err(); err != nil {
			t.Fatal(err)
		}
		for _, err := range j.Read(t.Context(), journal.Query{}) {
			if !errors.Is(err, journal.ErrCorrupt) {
				t.Error(err)
			}
		}
	})
	t.Run("a user without the rights", func(t *testing.T) {
		t.Parallel()
		user := []any{"ACL", "SETUSER", "weak", "on", ">secret", "~*", "+@all", "-xadd"}
		if err := client.Do(t.Context(), user...).Err(); err != nil {
			t.Fatal(err)
		}
		weak := redis.NewClient(&redis.Options{Addr: server.Addr(), Username: "weak", Password: "secret"})
		t.Cleanup(func() { _ = weak.Close() })
		err := redisjournal.Open(weak, nil).Append(t.Context(), []journal.Event{{Kind: journal.Granted, Name: "job", Token: 1, At: time.Now()}})
		if !errors.Is(err, driver.ErrUnfit) || !strings.Contains(err.Error(), "grant the user XADD") {
			t.Error(err)
		}
	})
}
