package redisguard_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/ringfence-go/ringfence/fence"
	"github.com/ringfence-go/ringfence/guard"
	"github.com/ringfence-go/ringfence/guard/guardtest"
	"github.com/ringfence-go/ringfence/guard/redisguard"
	"github.com/ringfence-go/ringfence/internal/realserver"
)

// page is a resource that holds one text, in a hash so that a text which is to be
// refused can be sent as a command that fails.
type page struct {
	g      *redisguard.Guard
	client redis.UniversalClient
	key    string
}

func (p page) Establish(ctx context.Context, f fence.Fence) (fence.Verdict, error) {
	return p.g.Establish(ctx, f)
}

func (p page) Write(ctx context.Context, w guard.Write, value string) (fence.Verdict, error) {
	command := redisguard.Command{"HSET", p.key, "text", value}
	if value == "unwritable" {
		command = redisguard.Command{"LPUSH", p.key, value} // WRONGTYPE: it holds a hash
	}
	return p.g.Do(ctx, w, command)
}

func (p page) Read(ctx context.Context) (string, error) {
	text, err := p.client.HGet(ctx, p.key, "text").Result()
	if errors.Is(err, redis.Nil) {
		err = nil
	}
	return text, err
}

func (p page) Now(ctx context.Context) (time.Time, error) { return p.g.Now(ctx) }

func TestGuard(t *testing.T) {
	for name, o := range map[string]realserver.RedisOptions{"server": {}, "cluster": {Cluster: true}} {
		t.Run(name, func(t *testing.T) {
			server := realserver.NewRedis(t, &o)
			client := dial(t, server.Addr(), server, o.Cluster)
			for _, rule := range []guard.Rule{guard.Once, guard.Sequenced, guard.Latest} {
				t.Run(rule.String(), func(t *testing.T) {
					open := func(ctx context.Context, lease, name string, maxAge time.Duration) (page, error) {
						key := "{" + lease + "}:" + name
						g, err := redisguard.New(client, name, rule, &redisguard.Options{Lease: lease, Tag: lease, MaxAge: maxAge})
						if err != nil {
							return page{}, err
						}
						return page{g, client, key}, client.HSet(ctx, key, "kind", "page").Err()
					}
					guardtest.Run(t, guardtest.Target{
						Rule: rule, Establishes: true, Keys: true, Unwritable: "unwritable",
						Open: func(ctx context.Context, lease string) (guardtest.Resource, error) {
							return open(ctx, lease, "page/"+rule.String(), 0)
						},
						Aging: func(ctx context.Context, lease string, maxAge time.Duration) (guardtest.Aging, error) {
							return open(ctx, lease, "aging/"+rule.String(), maxAge)
						},
					})
				})
			}
		})
	}
}
